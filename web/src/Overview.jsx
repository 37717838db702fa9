import { scaleLog } from 'd3-scale';
import { grouped, plural } from './data.js';

const NAMES = {
  nondeterminism: 'Nondeterminism',
  'final-state': 'Final state',
  race: 'Data races',
  unordered: 'Unordered accesses',
  deadlock: 'Deadlocks',
  stuck: 'Stuck threads',
  stale: 'Stale reads',
  atomicity: 'Atomicity',
  determinism: 'Deterministic blocks',
  serializability: 'Serializability',
  observed: 'The recorded run',
};

const QUESTIONS = {
  nondeterminism: 'Can a read see another write?',
  'final-state': 'Can a variable end with another value?',
  race: 'Can conflicting accesses run at the same moment?',
  unordered: 'Do C11’s rules order all conflicting accesses?',
  deadlock: 'Can threads wait for each other forever?',
  stuck: 'Can threads wait for something that never comes?',
  stale: 'Can a read be overtaken before the write that depends on it?',
  atomicity: 'Can another thread come between the accesses of an atomic block?',
  determinism: 'Are the blocks that were declared deterministic really so?',
  serializability: 'Could atomic blocks have run one after the other?',
  observed: 'How did the recorded run itself end?',
};

function verdictOf(report, property) {
  const all = report.found.filter((f) => f.propertyName === property.name);
  const own = all.filter((f) => !f.suppressed);
  const found = own.length;
  const merged = property.name === 'nondeterminism' ? report.found.reduce((sum, f) => sum + f.reads, 0) : 0;
  const open = report.open.some((f) => f.propertyName === property.name) || property.undecided > 0;
  if (found > 0 && own.every((f) => !f.problem)) return { kind: 'noted', badge: plural(found, 'note'), open };
  if (found > 0) return { kind: 'found', badge: plural(found, 'problem'), open };
  if (all.length > 0) return { kind: 'noted', badge: `${grouped(all.length)} suppressed`, open };
  if (merged > 0) return { kind: 'merged', badge: 'part of races', open };
  if (open) return { kind: 'open', badge: 'undecided', open };
  if (property.repeated > 0) return { kind: 'noted', badge: 'in an earlier trace', open };
  if (!property.settled) return { kind: 'open', badge: 'incomplete', open };
  if (property.subjects === 0 && /^(stale|atomicity|determinism|serializability)$/.test(property.name))
    return { kind: 'none', badge: 'nothing to check', open };
  if (property.name === 'observed') return { kind: 'clean', badge: 'ended well', open };
  return { kind: 'clean', badge: 'none in this trace', open };
}

function Headline({ report }) {
  const suppressed = report.found.filter((f) => f.suppressed).length;
  const accepted = report.found.some((f) => f.problem && f.suppressed);
  const found = report.found.length + report.findings.more - suppressed;
  const problems = report.found.filter((f) => f.problem && !f.suppressed).length;
  const notes = found - problems;
  const undecided = Math.max(report.open.length + report.undecided.more, report.properties.reduce((sum, p) => sum + p.undecided, 0));
  const known = report.found.filter((f) => f.baseline === 'known').length;
  const fresh = report.found.filter((f) => f.problem && f.baseline === 'new' && !f.suppressed).length;
  const baseline = report.found.some((f) => f.baseline);
  const checked = report.properties.filter((p) => p.checked);
  const repeated = report.properties.reduce((sum, p) => sum + p.repeated, 0);
  const nondet = report.properties.find((p) => p.name === 'nondeterminism');
  const decided = undecided === 0 && report.complete && !report.interrupted;
  const other = repeated > 0 || accepted ? 'other ' : '';
  const deterministic = decided && found === 0 && !other && nondet.checked && nondet.feasible === 0 && report.method === 'exact';
  const certified = report.certified > 0
    ? ` Each schedule shown here was accepted by a second, independent checker (${grouped(report.certified)} in all).` : '';
  return (
    <section class={`headline ${problems ? 'bad' : decided ? 'clean' : 'open'}`}>
      <h1>
        {problems ? plural(problems, 'problem')
          : deterministic ? 'Deterministic: no problem predicted'
          : report.settled ? `No ${other}problem predicted` : `No ${other}problem found so far`}
        {notes > 0 && <small> and {plural(notes, 'note')}</small>}
      </h1>
      <p>
        {found > 0 && report.found.every((f) => f.propertyName === 'observed')
          ? 'This happened while the program was recorded; it is not a prediction.'
          : found
          ? /^(exact|ucg)$/.test(report.method)
            ? `From one recorded run, these can happen in other schedules of the same events.${certified}`
            : `Found by the published method ${report.method}, for comparison: not all of these need be possible. The exact method decides.`
          : decided
            ? other ? 'What else was asked about does not show in other orders of the recorded events.' : `${deterministic ? 'No read depends on the schedule' : 'None of what was asked about shows'} in other orders of the ${grouped(report.trace.events)} recorded events${report.method === 'exact' ? '' : `, by the method ${report.method}`}.`
            : report.settled ? 'Whether some reads depend on the schedule was not decided.'
            : 'This is not an all-clear: not everything was decided.'}
      </p>
      {repeated > 0 && <p>Besides these, {plural(repeated, 'finding')} of an earlier trace: listed there.</p>}
      {problems === 0 && (
        <p class="quiet">Not covered: other inputs, code that did not run, what the recorder does not see (docs/limits.md).</p>
      )}
      {problems === 0 && report.trace.groundless && (
        <p class="quiet">
          The recording does not say which reads events depend on: they count as depending on all earlier ones, so less is
          predicted (heddle-cc(1)).
        </p>
      )}
      {(suppressed > 0 || baseline) && (
        <p class="quiet">
          {[baseline && `${fresh ? plural(fresh, 'new problem') : 'No new problem'}, ${plural(known, 'finding')} in the baseline`, suppressed > 0 && `${grouped(suppressed)} suppressed`]
            .filter(Boolean).join('; ')}. These come last in the list.
        </p>
      )}
      {!report.complete && (
        <p class="warning">
          <b>Incomplete.</b> {report.interrupted ? 'The check was interrupted; this is what was decided so far.'
            : report.trace.note ? 'The trace was cut short; this report covers the part that was read.'
            : report.trace.incomplete ? 'The trace is not the whole run:' : 'Not everything asked for was decided.'}
          {report.trace.incomplete && <> <bdi>{report.trace.incomplete.join('; ')}</bdi>.</>}
        </p>
      )}
      {undecided > 0 && (
        <p class="warning"><b>{grouped(undecided)} undecided.</b> The budget ran out before it was decided whether they can happen.</p>
      )}
      {report.trace.binary && (
        <p class="quiet">
          Recorded from a program that was not instrumented. Atomic loads and stores that compile to plain instructions look
          like plain accesses: a race between two accesses that are atomic in the source is no race.
        </p>
      )}
      {checked.length === 0 && <p class="warning">This report does not say what was checked.</p>}
    </section>
  );
}

function Examined({ report }) {
  const { trace } = report;
  const tiles = [['events', trace.events], ['threads', trace.threads], ['variables', trace.variables], ['locks', trace.locks]];
  const options = [report.method !== 'exact' && `method ${report.method}`, report.values_ignore && 'values ignored', report.grounds_ignore && 'grounds ignored',
    report.atomic_locks && 'lock scopes are meant to be atomic', report.grouped && 'one finding for each set of places'].filter(Boolean);
  return (
    <section aria-labelledby="examined">
      <h2 id="examined">What was examined</h2>
      <dl class="tiles">
        {tiles.map(([name, count]) => (
          <div key={name}><dt>{name}</dt><dd>{grouped(count)}</dd></div>
        ))}
      </dl>
      <p class="quiet">
        {trace.program && <>Program <code><bdi>{trace.program}</bdi></code>. </>}
        Trace <code><bdi>{trace.file}</bdi></code>
        {trace.dropped > 0 && <>; {plural(trace.dropped, 'event')} that only one thread can notice were left out when it was recorded</>}
        {options.length > 0 && <>; {options.join(', ')}</>}.
      </p>
    </section>
  );
}

function Verdicts({ report, filter }) {
  const checked = report.properties.filter((p) => p.checked);
  if (checked.length === 0) return null;
  return (
    <section aria-labelledby="verdicts">
      <h2 id="verdicts">What was checked</h2>
      <ul class="verdicts">
        {checked.map((property) => {
          const verdict = verdictOf(report, property);
          return (
            <li key={property.name} class={verdict.kind}>
              <span class={`badge ${{ found: 'alarm', clean: 'good', open: 'open', none: '', noted: '', merged: '' }[verdict.kind]}`}>{verdict.badge}</span>
              <div>
                <b>{NAMES[property.name]}</b>{' '}
                <span class="quiet">{QUESTIONS[property.name]}</span>
                {verdict.kind === 'merged' ? (
                  <p>The reads of racing accesses can see other writes: they are part of the races.</p>
                ) : verdict.kind === 'found' || verdict.kind === 'noted' ? (
                  <p>
                    <button class="link" onClick={() => { filter.clear(); filter.only(property.name); }}>List them</button>
                    {verdict.open && ' Others are undecided.'}
                  </p>
                ) : (
                  <p>{property.verdict.map((line) => line.trim()).join(' ')}</p>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** How many candidates are left after each reason to refute them. */
function stagesOf(report, property) {
  const [order, cycle, choices] = property.refuted;
  const found = report.found.filter((f) => f.propertyName === property.name).length;
  const left = [property.candidates, property.candidates - order, property.candidates - order - cycle,
    property.candidates - order - cycle - choices].map((n) => Math.max(n, 0));
  return [...left, found];
}

function Funnel({ report }) {
  const rows = report.properties.filter((p) => p.checked && p.candidates > 0);
  if (rows.length === 0) return null;
  const most = Math.max(10, ...rows.map((p) => p.candidates));
  const width = scaleLog().domain([1, most]).range([4, 100]);
  return (
    <section aria-labelledby="funnel">
      <h2 id="funnel">From candidates to findings</h2>
      <p class="quiet">
        Every pair or triple of events that could be at fault is a candidate. Most are ruled out: no order
        of these events shows them. What is left has a schedule, and findings at the same places are shown as one. Bars are on a logarithmic scale.
      </p>
      <div class="scroll">
        <table class="funnel">
          <thead>
            <tr>
              <th scope="col">property</th>
              <th scope="col">candidates</th>
              <th scope="col">not excluded by order, locks and reads</th>
              <th scope="col">without a causality cycle</th>
              <th scope="col">some choice works</th>
              <th scope="col">findings</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((property) => (
              <tr key={property.name} class={property.name}>
                <th scope="row">{NAMES[property.name]}</th>
                {stagesOf(report, property).map((count, i) => (
                  <td key={i}>
                    <span class="bar" aria-hidden="true" style={{ width: `${count > 0 ? width(count) : 0}%` }} />
                    <span class="count">{grouped(count)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Overview({ report, select, filter, unknown }) {
  const first = report.found[0];
  return (
    <article class="overview">
      {unknown && <p class="warning" role="alert">There is no finding called “<bdi>{unknown}</bdi>” in this report.</p>}
      <Headline report={report} />
      {first && (
        <p class="start">
          <button class="primary" onClick={() => select(first.id)}>Show the first finding</button>
          <span class="quiet">or choose one from the list; <kbd>j</kbd> and <kbd>k</kbd> go through it</span>
        </p>
      )}
      <Examined report={report} />
      <Verdicts report={report} filter={filter} />
      <Funnel report={report} />
    </article>
  );
}
