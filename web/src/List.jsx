import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { grouped, plural } from './data.js';

/** Properties in the order they are told, with how many findings each has. */
function countsOf(report) {
  const counts = new Map();
  for (const finding of report.all) counts.set(finding.propertyName, (counts.get(finding.propertyName) || 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count }));
}

/** Every row of the list is this high: only those in sight are drawn. */
const ROW = 76;
const SPARE = 12;

/** The rows of a scrolled box that are in sight, with some to spare. */
function useWindow(box, count) {
  const [range, setRange] = useState([0, 40]);
  useLayoutEffect(() => {
    const measure = () => {
      const { scrollTop, clientHeight } = box.current;
      const first = Math.max(0, Math.floor(scrollTop / ROW) - SPARE);
      const last = Math.ceil((scrollTop + clientHeight) / ROW) + SPARE;
      setRange((now) => (now[0] === first && now[1] === last ? now : [first, last]));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    box.current.addEventListener('scroll', measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      box.current?.removeEventListener('scroll', measure);
    };
  }, [count]);
  return range;
}

const STATES = {
  confirmed: ['confirmed by replay', (f) => f.confirmed === true],
  unconfirmed: ['not confirmed', (f) => f.confirmed !== true],
  new: ['new since the baseline', (f) => f.baseline === 'new'],
  suppressed: ['suppressed', (f) => !!f.suppressed],
  unsuppressed: ['not suppressed', (f) => !f.suppressed],
  undecided: ['undecided', (f) => !f.decided],
};

/** Notes are folded away where there are problems, unless they are asked for or one of them is `selected`. */
export function useFilter(report, selected) {
  const [text, setText] = useState('');
  const [notes, setNotes] = useState(report.problems === 0);

  const [off, setOff] = useState(new Set());
  const [state, setState] = useState('');
  const counts = useMemo(() => countsOf(report), [report]);
  const states = useMemo(() => {
    const some = Object.keys(STATES).filter((s) => report.all.some(STATES[s][1]));
    const replayed = report.all.some((f) => f.confirmed !== undefined);
    const accepted = report.all.some((f) => f.suppressed);
    return some.filter((s) => (s !== 'unconfirmed' || replayed) && (s !== 'unsuppressed' || accepted));
  }, [report]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const unfolded = notes || words.length > 0 || state || (selected && !selected.problem);
  const matching = useMemo(
    () => report.all.filter((f) => !off.has(f.propertyName) && (!state || STATES[state][1](f)) &&
      words.every((word) => f.haystack.includes(word))),
    [report, text, off, state],
  );
  const shown = useMemo(() => (unfolded ? matching : matching.filter((f) => f.problem)), [matching, unfolded]);
  const folded = matching.length - shown.length;
  const only = (name) => {
    setNotes(true);
    setOff(new Set(counts.map((c) => c.name).filter((other) => other !== name)));
  };
  const flip = (name) => {
    const next = new Set(off);
    if (!next.delete(name)) next.add(name);
    setOff(next.size === counts.length ? new Set() : next);
  };
  const clear = () => {
    setText('');
    setOff(new Set());
    setState('');
  };
  return { text, setText, off, flip, only, counts, states, state, setState, shown, clear, folded, setNotes };
}

/** "2 problems, 31 notes". */
function counted(report) {
  const notes = report.all.length - report.problems;
  if (report.all.length === 0) return plural(0, 'finding');
  return [report.problems > 0 && plural(report.problems, 'problem'), notes > 0 && plural(notes, 'note')].filter(Boolean).join(', ');
}

export function Badges({ finding }) {
  return (
    <>
      {!finding.decided && <span class="badge open">undecided</span>}
      {finding.decided && !finding.problem && <span class="badge">note</span>}
      {finding.confirmation === 'needs another path' && <span class="badge open">needs another path</span>}
      {finding.confirmed === true && <span class="badge good">✓ confirmed</span>}
      {finding.confirmed === false && <span class="badge">not confirmed</span>}
      {finding.outcome && <span class={finding.outcome === 'same' ? 'badge' : 'badge alarm'}>outcome: <bdi>{finding.outcome}</bdi></span>}
      {finding.baseline === 'new' && <span class="badge new">new</span>}
      {finding.baseline === 'known' && <span class="badge">in the baseline</span>}
      {finding.suppressed && <span class="badge" title={finding.suppressed}>suppressed</span>}
    </>
  );
}

const Option = memo(({ finding, selected, select, numbered, at, of }) => (
  <li
    id={`option-${finding.id}`}
    role="option"
    aria-selected={selected}
    aria-posinset={at + 1}
    aria-setsize={of}
    class={`option ${finding.propertyName} ${finding.problem ? '' : 'note'}`}
    style={{ top: `${at * ROW}px` }}
    onClick={() => select(finding.id)}
  >
    <span class="id">{finding.id}</span>
    <span class="option-title"><bdi>{finding.title}</bdi></span>
    <span class="option-where">
      <span class="where">{finding.where.map((w, i) => <bdi key={i}>{w}</bdi>)}</span>
      {numbered && <span>event{finding.events.length > 1 ? 's' : ''} {finding.events.slice(0, 4).join(', ')}</span>}
      {finding.count > 1 && <span class="times" title={`${plural(finding.count, 'finding')} at these places`}>×{grouped(finding.count)}</span>}
      <Badges finding={finding} />
    </span>
  </li>
));

export function List({ report, filter, selected, select, move, search }) {
  const box = useRef(null);
  const { shown } = filter;
  const at = shown.indexOf(selected);
  const [first, last] = useWindow(box, shown.length);
  useLayoutEffect(() => {
    if (at < 0) return;
    const { scrollTop, clientHeight } = box.current;
    if (at * ROW < scrollTop) box.current.scrollTop = at * ROW;
    else if ((at + 1) * ROW > scrollTop + clientHeight) box.current.scrollTop = (at + 1) * ROW - clientHeight;
  }, [at]);
  const drawn = [];
  for (let i = first; i < Math.min(last, shown.length); i++) drawn.push(i);
  if (at >= 0 && (at < first || at >= last)) drawn.push(at); // what is selected has its row, in sight or not

  const press = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -shown.length, End: shown.length, PageDown: 10, PageUp: -10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(by);
  };
  const leaveSearch = (event) => {
    if (event.key === 'Escape') {
      filter.setText('');
      event.currentTarget.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      event.stopPropagation();
      if (shown.length > 0 && !shown.includes(selected)) select(shown[0].id);
      box.current.focus();
    }
  };

  return (
    <nav class="side" aria-label="Findings">
      <div class="filters">
        <label class="search">
          <span class="hidden">Filter the findings by text, variable or place</span>
          <input ref={search} type="search" placeholder="Filter: text, variable, file…" spellcheck={false} value={filter.text}
            onInput={(e) => filter.setText(e.currentTarget.value)} onKeyDown={leaveSearch} aria-keyshortcuts="/" />
          <kbd aria-hidden="true">/</kbd>
        </label>
        {filter.counts.length > 1 && (
          <div class="chips" role="group" aria-label="Properties">
            {filter.counts.map(({ name, count }) => (
              <button key={name} class={`chip ${name}`} aria-pressed={!filter.off.has(name)} onClick={() => filter.flip(name)}
                onDblClick={() => filter.only(name)}>
                <span class="dot" /> {name} <b>{grouped(count)}</b>
              </button>
            ))}
          </div>
        )}
        {filter.states.length > 0 && (
          <label class="state">
            Show{' '}
            <select value={filter.state} onChange={(e) => filter.setState(e.currentTarget.value)}>
              <option value="">all</option>
              {filter.states.map((s) => <option key={s} value={s}>{STATES[s][0]}</option>)}
            </select>
          </label>
        )}
        <p class="shown" role="status">
          {shown.length + filter.folded === report.all.length ? counted(report)
            : `${grouped(shown.length + filter.folded)} of ${plural(report.all.length, 'finding')}`}
          {shown.length + filter.folded < report.all.length && <button class="link" onClick={filter.clear}>show all</button>}
        </p>
      </div>
      <ul class="options" role="listbox" tabIndex={0} ref={box} aria-label="Findings" onKeyDown={press}
        aria-activedescendant={at >= 0 ? `option-${selected.id}` : undefined} hidden={shown.length === 0}>
        <li class="room" role="presentation" style={{ height: `${shown.length * ROW}px` }} />
        {drawn.map((i) => (
          <Option key={shown[i].id} finding={shown[i]} selected={i === at} select={select} numbered={!report.grouped} at={i} of={shown.length} />
        ))}
      </ul>
      {shown.length === 0 && filter.folded === 0 && (
        <p class="empty">{report.all.length === 0 ? 'Nothing was found.' : 'No finding matches the filter.'}</p>
      )}
      {filter.folded > 0 && (
        <p class="folded">
          <button class="link" onClick={() => filter.setNotes(true)}>Show {plural(filter.folded, 'note')}</button>{' '}
          <span class="quiet">reads and values that depend on the schedule</span>
        </p>
      )}
      {report.findings.more + report.undecided.more > 0 && (
        <p class="more">and {grouped(report.findings.more + report.undecided.more)} more, which only the JSON report lists</p>
      )}
    </nav>
  );
}
