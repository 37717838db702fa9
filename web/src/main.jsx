import { render } from 'preact';
import { Reports } from './App.jsx';
import { readReport } from './data.js';
import './style.css';

const raw = JSON.parse(document.getElementById('report').textContent);
const reports = raw.reports || [raw];
document.title = `${reports.length > 1 ? `${reports.length} traces` : reports[0].trace.file || 'trace'} – Heddle report`;
render(<Reports reports={reports.map(readReport)} totals={raw.totals} />, document.getElementById('app'));
