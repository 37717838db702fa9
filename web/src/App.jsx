import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Finding } from './Finding.jsx';
import { Help } from './Help.jsx';
import { List, useFilter } from './List.jsx';
import { Overview } from './Overview.jsx';
import { plural } from './data.js';

const idInAddress = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
};

/** The finding that the address names, kept in step with it. `latest` is ahead of what is drawn: keys may come faster. */
function useSelected(report) {
  const [id, setDrawn] = useState(idInAddress);
  const latest = useRef(id);
  const setId = (next) => {
    latest.current = next;
    setDrawn(next);
  };
  useEffect(() => {
    const follow = () => setId(idInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const select = useCallback((next) => {
    const address = next ? `#${encodeURIComponent(next)}` : '#';
    if (location.hash !== address) history.pushState(null, '', address);
    setId(next || '');
  }, []);
  return [useMemo(() => report.all.find((finding) => finding.id === id), [report, id]), select, latest];
}

const stored = () => {
  try {
    return localStorage.getItem('heddle-theme');
  } catch {
    return null; // pages from a disk may have no storage
  }
};

function useTheme() {
  const [theme, setTheme] = useState(stored);
  const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  useLayoutEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
  }, [theme]);
  const toggle = () => {
    const next = dark ? 'light' : 'dark';
    try {
      localStorage.setItem('heddle-theme', next);
    } catch {
      /* then it lasts as long as the page */
    }
    setTheme(next);
  };
  return [dark, toggle];
}

const takesText = (element) => /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

/** Keys that work wherever the focus is, except in a text field. */
function useKeys(actions) {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const press = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
      const action = latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** The reports of one or more traces, one at a time: the one that has the finding in the address, else the one chosen last. */
export function Reports({ reports, totals }) {
  const holder = () => reports.findIndex((report) => report.all.some((finding) => finding.id === idInAddress()));
  const [at, setAt] = useState(() => Math.max(holder(), 0));
  useEffect(() => {
    const follow = () => {
      const now = holder();
      if (now >= 0) setAt(now);
    };
    addEventListener('hashchange', follow);
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('popstate', follow);
    };
  }, [reports]);
  const choose = (next) => {
    history.pushState(null, '', '#');
    setAt(next);
  };
  return <App key={at} report={reports[at]} several={reports.length > 1 ? { reports, totals, at, choose } : null} />;
}

/** Which of several traces is shown. */
function Traces({ reports, totals, at, choose }) {
  const unchecked = totals?.unchecked ? `; ${plural(totals.unchecked, 'trace')} not checked` : '';
  return (
    <label class="traces">
      <span>Trace</span>
      <select value={at} onChange={(e) => choose(Number(e.target.value))}>
        {reports.map((report, i) => (
          <option key={i} value={i}>{`${report.trace.file}: ${plural(report.problems, 'problem')}`}</option>
        ))}
      </select>
      {totals && <span class="quiet">{`all: ${plural(totals.problems, 'problem')}, ${plural(totals.notes, 'note')}${unchecked}`}</span>}
    </label>
  );
}

function App({ report, several }) {
  const [selected, select, latest] = useSelected(report);
  const filter = useFilter(report, selected);
  const [dark, toggleTheme] = useTheme();
  const [help, setHelp] = useState(false);
  const search = useRef(null);
  const main = useRef(null);

  /** To the finding `by` places further in the list. */
  const move = (by) => {
    const { shown } = filter;
    if (shown.length === 0) return;
    const at = shown.findIndex((finding) => finding.id === latest.current);
    select(shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(Math.max(at + by, 0), shown.length - 1)].id);
  };
  useKeys({
    '/': () => search.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    o: () => select(''),
    '?': () => setHelp(!help),
    Escape: () => setHelp(false),
  });
  useEffect(() => main.current?.scrollTo(0, 0), [selected]);

  return (
    <div class="page">
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current.focus(); }}>Skip to the report</a>
      <header class="top">
        <button class="brand" onClick={() => select('')} title="Overview of the report">
          <Mark /> <span>Heddle</span> <span class="hidden">report: overview</span>
        </button>
        {several ? <Traces {...several} /> : <span class="trace-name" title={report.trace.file}><bdi>{report.trace.file}</bdi></span>}
        <span class="spacer" />
        <button class="plain" onClick={() => setHelp(!help)} aria-expanded={help} aria-controls="help">
          <kbd>?</kbd> Keys
        </button>
        <button class="plain" onClick={toggleTheme} title={dark ? 'Use the light theme' : 'Use the dark theme'}>
          <span aria-hidden="true">{dark ? '☀ ' : '☾ '}</span>{dark ? 'Light' : 'Dark'}
        </button>
      </header>
      {help && <Help close={() => setHelp(false)} />}
      <List report={report} filter={filter} selected={selected} select={select} move={move} search={search} />
      <main id="main" ref={main} tabIndex={-1}>
        {selected ? (
          <Finding key={selected.id} report={report} finding={selected} move={move} />
        ) : (
          <Overview report={report} select={select} filter={filter} unknown={latest.current} />
        )}
      </main>
    </div>
  );
}

/** Warp threads through a heddle's eye. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M5 2v20M19 2v20" class="mark-rail" />
      <path d="M12 2v5.5M12 16.5V22" class="mark-rail" />
      <ellipse cx="12" cy="12" rx="2.6" ry="4.5" class="mark-eye" />
      <path d="M2 9c5 0 6 3 10 3s5 3 10 3" class="mark-yarn" />
    </svg>
  );
}
