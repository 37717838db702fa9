import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Diagram } from './Diagram.jsx';
import { Badges } from './List.jsx';
import { StepCard } from './Source.jsx';
import { StepTable } from './StepTable.jsx';
import { grouped, plural } from './data.js';
import { layOut } from './layout.js';

const MEANING = {
  nondeterminism: 'The scheduler decides which of the two writes this read sees. A lock does not change that: it keeps accesses apart but does not decide which comes first.',
  'final-state': 'All threads run to their end in both runs, but another write to the variable comes last.',
  deadlock: 'Each thread holds a lock that the next one waits for. None of them can ever continue.',
  stuck: 'Every thread waits or has ended. No thread is left that could wake the waiting ones.',
  stale: 'The thread writes because of a value that has been overwritten. A lock around each access does not help: one lock has to be held from the read to the write.',
  atomicity: 'The block was meant to run as one step. In this run another thread comes between its accesses.',
  determinism: 'The block was declared deterministic: what its threads do must not depend on the schedule.',
};

/** A line of details, with what comes before two blanks as its label. */
function Detail({ line, shorten }) {
  const text = shorten(line.trim());
  if (/^ +(called from|from|and [\d,]+ more calls?)\b/.test(line)) return <li class="caller quiet"><bdi>{text}</bdi></li>;
  const [, label, rest] = text.match(/^(\S[^:]{0,20}?) {2,}(.*)$/) || [];
  return label ? <li><span class="label">{label}</span> <bdi>{rest}</bdi></li> : <li><bdi>{text}</bdi></li>;
}

const inQuotes = (text) => (/^[\w./+,:@%][\w./+,:@%-]*$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** A run leaves report.json beside this page, in a folder that is named from where the program was run. */
function reportFile() {
  let parts;
  try {
    parts = decodeURIComponent(location.pathname).split('/');
  } catch {
    parts = [];
  }
  const [folder, page] = parts.slice(-2);
  return page === 'report.html' && folder ? inQuotes(`${folder}/report.json`) : 'report.json';
}

function Next({ report, finding }) {
  const [copied, setCopied] = useState(false);
  const command = `heddle replay ${reportFile()} ${finding.id} -- ${report.trace.program || 'PROGRAM'}`;
  if (!finding.witness) return null;
  if (report.trace.binary)
    return (
      <p class="next quiet">
        To make it happen, build the program with <code>heddle cc</code> or <code>heddle c++</code> and record it again.
      </p>
    );
  const copy = () => navigator.clipboard?.writeText(command).then(() => setCopied(true), () => {});
  return (
    <p class="next">
      <span class="quiet">Make it happen:</span> <code><bdi>{command}</bdi></code>{' '}
      <button class="plain" onClick={copy}>{copied ? 'Copied' : 'Copy'}</button>
    </p>
  );
}

function Head({ report, finding, move }) {
  return (
    <header class="finding-head">
      <p class="crumbs">
        <span class={`id ${finding.propertyName}`}>{finding.id}</span>
        <span class="property">{finding.propertyName}</span>
        <Badges finding={finding} />
        <span class="spacer" />
        <button class="plain" onClick={() => move(-1)} aria-keyshortcuts="k"><kbd aria-hidden="true">k</kbd> previous<span class="hidden"> finding</span></button>
        <button class="plain" onClick={() => move(1)} aria-keyshortcuts="j"><kbd aria-hidden="true">j</kbd> next<span class="hidden"> finding</span></button>
      </p>
      <h1><bdi>{finding.title}</bdi></h1>
      <ul class="details">
        {finding.details.map((line, i) => <Detail key={i} line={line} shorten={report.shorten} />)}
        {finding.witness_kind > 0 && <li class="quiet">witness k{finding.witness_kind} of the graph method: by graphs alone, without a schedule</li>}
        {finding.reads > 0 && <li class="quiet">and {plural(finding.reads, 'nondeterministic read')} of the same accesses</li>}
        {finding.count > 1 && <li class="quiet">and {finding.exact ? '' : 'at least '}{grouped(finding.count - 1)} more like it, at the same places in the source</li>}
        {finding.count === 1 && !finding.exact && <li class="quiet">there may be more like it, at the same places in the source</li>}
        {finding.suppressed && <li class="quiet">suppressed: <bdi>{finding.suppressed}</bdi></li>}
        {finding.fingerprint && <li><span class="label">fingerprint</span> <code class="quiet"><bdi>{finding.fingerprint}</bdi></code></li>}
      </ul>
      {MEANING[finding.propertyName] && <p class="meaning">{MEANING[finding.propertyName]}</p>}
    </header>
  );
}

/** The step that is looked at: a run and a row of it. The first one to look at is what the finding is about. */
function useSteps(finding, layout) {
  const main = layout && (layout.witness || layout.observed);
  const start = () => {
    if (!main) return null;
    const own = main.steps.filter((row) => row.event === finding.events[0]);
    return { run: layout.witness ? 'witness' : 'observed', event: (own.pop() || main.steps[main.steps.length - 1] || {}).event };
  };
  const [drawn, setDrawn] = useState(start);
  const latest = useRef(drawn); // ahead of what is drawn: keys may come faster
  const setAt = (next) => {
    latest.current = next;
    setDrawn(next);
  };
  return [drawn, setAt, latest];
}

/** Whether the diagrams are too narrow for source lines beside them. */
function useStacked(finding) {
  const [stacked, setStacked] = useState(false);
  const box = useRef(null);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const measure = () => {
      const { clientWidth } = box.current;
      const abreast = finding.witness && clientWidth >= 2 * 430 + 16;
      setStacked((abreast ? (clientWidth - 16) / 2 : clientWidth) < 620);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, [finding]);
  return [stacked, box];
}

export function Finding({ report, finding, move }) {
  const [open, setOpen] = useState(new Set());
  const [stacked, watch] = useStacked(finding);
  const layout = useMemo(() => layOut(report, finding, open, stacked), [report, finding, open, stacked]);
  const [at, setAt, latest] = useSteps(finding, layout);
  const [said, setSaid] = useState('');

  const run = layout && at && (layout[at.run] || layout.observed);
  const lastOf = (steps, event) => steps.map((row) => row.event).lastIndexOf(event);
  const index = run ? lastOf(run.steps, at.event) : -1;
  const step = index < 0 ? null : run.steps[index];
  const go = (by) => {
    const { run: name, event } = latest.current;
    const { steps } = layout[name];
    const next = steps[Math.min(Math.max(lastOf(steps, event) + by, 0), steps.length - 1)];
    setAt({ run: name, event: next.event });
  };
  const change = (name) => {
    if (!layout[name]) return;
    const { steps } = layout[name];
    const same = lastOf(steps, latest.current.event);
    setAt({ run: name, event: steps[same >= 0 ? same : 0].event });
  };
  const press = useRef(null);
  press.current = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !run) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.closest?.('.options')) return;
    const action = {
      ArrowDown: () => go(1), ArrowUp: () => go(-1),
      ArrowRight: () => change('witness'), ArrowLeft: () => change('observed'),
      Home: () => go(-run.steps.length), End: () => go(run.steps.length),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    setSaid('keys');
    action();
  };
  useEffect(() => {
    const listen = (event) => press.current(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  useEffect(() => {
    if (said) watch.current?.querySelector('.row.now')?.scrollIntoView({ block: 'nearest' });
  }, [at, said]);

  const unfold = (keys, on) => {
    const next = new Set(open);
    for (const key of keys) if (on) next.add(key); else next.delete(key);
    setOpen(next);
  };

  return (
    <article class="finding" aria-label={`Finding ${finding.id}`}>
      <Head report={report} finding={finding} move={move} />
      {!layout && (
        <p class="warning">{finding.decided ? 'This page has no diagram of this finding: it has too many, or too long ones. Check with fewer properties, or without --all.'
          : 'The budget ran out before it was decided whether this can happen, so there is no schedule to show.'}</p>
      )}
      {layout && (
        <>
          <div class="toolbar" role="toolbar" aria-label="Steps">
            <button class="plain" onClick={() => go(-1)} disabled={index <= 0} title="Previous step"><kbd aria-hidden="true">↑</kbd><span class="hidden">Previous step</span></button>
            <button class="plain" onClick={() => go(1)} disabled={index + 1 >= run.steps.length} title="Next step"><kbd aria-hidden="true">↓</kbd><span class="hidden">Next step</span></button>
            <span class="progress">step {index + 1} of {run.steps.length}{layout.witness && <>, <b>{run.isWitness ? 'possible' : 'observed'} run</b></>}</span>
            <span class="spacer" />
            <Legend layout={layout} finding={finding} />
          </div>
          <div class={`runs ${layout.witness ? 'two' : ''} ${stacked ? 'stacked' : ''}`} ref={watch}>
            <Diagram report={report} layout={layout} run={layout.observed} name="observed" at={at} setAt={setAt} unfold={unfold} open={open}
              title="Observed run" note={`what happened, up to event ${grouped(layout.observed.length)}`} />
            {layout.witness && (
              <Diagram report={report} layout={layout} run={layout.witness} name="witness" at={at} setAt={setAt} unfold={unfold} open={open}
                title="Possible run" note={finding.synchronization ? 'synchronization only; the rest happens with it' : `what can happen, in ${plural(layout.witness.length, 'event')}`} />
            )}
          </div>
          {step && <StepCard report={report} layout={layout} run={run} row={step} />}
          <StepTable report={report} layout={layout} />
          <Next report={report} finding={finding} />
        </>
      )}
    </article>
  );
}

function Legend({ layout, finding }) {
  const arrows = new Set([...layout.observed.links, ...(layout.witness ? layout.witness.links : [])].map((l) => l.kind));
  const locks = layout.observed.bars.length > 0 || (layout.witness && layout.witness.bars.length > 0);
  return (
    <ul class="legend" aria-label="Legend">
      {locks && <li><i class="key lock" /> holds a lock</li>}
      {layout.moved.size > 0 && <li><i class="key moved" /> runs earlier in the possible run</li>}
      {layout.absent && <li><i class="key absent" /> does not happen in the possible run</li>}
      {arrows.has('old') && <li><i class="key old" /> read from, observed</li>}
      {arrows.has('new') && <li><i class="key new" /> {finding.propertyName === 'nondeterminism' ? 'read from, possible' : 'in this order'}</li>}
      {arrows.has('clash') && <li><i class="key clash" /> nothing orders these</li>}
      {arrows.has('wait') && <li><i class="key wait" /> waits for</li>}
    </ul>
  );
}
