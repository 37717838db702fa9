import { memo } from 'preact/compat';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { grouped, plural } from './data.js';

/** Properties in the order they are told, with how many findings each has. */
function countsOf(report) {
  const counts = new Map();
  for (const finding of report.all) counts.set(finding.propertyName, (counts.get(finding.propertyName) || 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count }));
}

const STATES = {
  confirmed: ['confirmed by replay', (f) => f.confirmed === true],
  unconfirmed: ['not confirmed', (f) => f.confirmed !== true],
  new: ['new since the baseline', (f) => f.baseline === 'new'],
  suppressed: ['suppressed', (f) => !!f.suppressed],
  unsuppressed: ['not suppressed', (f) => !f.suppressed],
  undecided: ['undecided', (f) => !f.decided],
};

export function useFilter(report) {
  const [text, setText] = useState('');
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
  const shown = useMemo(
    () => report.all.filter((f) => !off.has(f.propertyName) && (!state || STATES[state][1](f)) &&
      words.every((word) => f.haystack.includes(word))),
    [report, text, off, state],
  );
  const only = (name) => setOff(new Set(counts.map((c) => c.name).filter((other) => other !== name)));
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
  return { text, setText, off, flip, only, counts, states, state, setState, shown, clear };
}

export function Badges({ finding }) {
  return (
    <>
      {!finding.decided && <span class="badge open">undecided</span>}
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

const Option = memo(({ finding, selected, select, numbered }) => (
  <li
    id={`option-${finding.id}`}
    role="option"
    aria-selected={selected}
    class={`option ${finding.propertyName}`}
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
  useEffect(() => {
    if (selected) document.getElementById(`option-${selected.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

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
          {shown.length === report.all.length ? plural(report.all.length, 'finding')
            : `${grouped(shown.length)} of ${plural(report.all.length, 'finding')}`}
          {shown.length < report.all.length && <button class="link" onClick={filter.clear}>show all</button>}
        </p>
      </div>
      <ul class="options" role="listbox" tabIndex={0} ref={box} aria-label="Findings" onKeyDown={press}
        aria-activedescendant={selected && shown.includes(selected) ? `option-${selected.id}` : undefined}>
        {shown.map((finding) => (
          <Option key={finding.id} finding={finding} selected={finding === selected} select={select} numbered={!report.grouped} />
        ))}
        {report.all.length === 0 && <li class="empty" role="presentation">Nothing was found.</li>}
        {report.all.length > 0 && shown.length === 0 && <li class="empty" role="presentation">No finding fits the filter.</li>}
      </ul>
      {report.findings.more + report.undecided.more > 0 && (
        <p class="more">and {grouped(report.findings.more + report.undecided.more)} more, which only the JSON report lists</p>
      )}
    </nav>
  );
}
