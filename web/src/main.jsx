import { render } from 'preact';
import { App } from './App.jsx';
import { readReport } from './data.js';
import './style.css';

const raw = JSON.parse(document.getElementById('report').textContent);
document.title = `${raw.trace.file || 'trace'} – Heddle report`;
render(<App report={readReport(raw)} />, document.getElementById('app'));
