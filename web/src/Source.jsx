import { Pieces } from './Diagram.jsx';
import { callersOf, sentence } from './data.js';
import { piecesOf } from './highlight.js';
import { locksAt } from './layout.js';

const AROUND = 4;

function Window({ file, line }) {
  const lines = [];
  for (let n = Math.max(1, line - AROUND); n <= line + AROUND; n++) {
    const pieces = piecesOf(file, n);
    if (pieces) lines.push([n, pieces]);
  }
  if (lines.length === 0) return <p class="quiet">The page does not have this part of the source.</p>;
  return (
    <pre class="window" tabIndex={0} aria-label={`${file.short}, lines ${lines[0][0]} to ${lines[lines.length - 1][0]}`}>
      {lines.map(([n, pieces]) => (
        <div key={n} class={n === line ? 'source-line here' : 'source-line'} aria-current={n === line ? 'location' : undefined}>
          <span class="line">{n}</span>
          <code><Pieces pieces={pieces} />{'\n'}</code>
        </div>
      ))}
    </pre>
  );
}

/** Who called the function that the step is in, with the lines that call. */
function Callers({ callers }) {
  if (callers.length === 0) return null;
  return (
    <ol class="callers" aria-label="Called from">
      {callers.map((place, i) => {
        const pieces = place.file && piecesOf(place.file, place.line);
        return (
          <li key={i}>
            <span class="quiet">{i === 0 ? 'called from' : 'from'}</span> <bdi>{place.short}</bdi>
            {place.fn && <span class="quiet"> in <bdi>{place.fn}</bdi></span>}
            {pieces && <code><Pieces pieces={pieces} /></code>}
          </li>
        );
      })}
    </ol>
  );
}

/** The step that is looked at: what happens, where in the source, who holds which lock. */
export function StepCard({ report, layout, run, row }) {
  const event = report.events.get(row.event);
  const place = report.places.get(event.place);
  const lane = layout.lanes[row.lane];
  const locks = locksAt(report, run, row);
  const missing = place && place.file && place.file.lines.size === 0;
  return (
    <section class="card" aria-label="This step">
      <p class="now-line" role="status">
        <span class={`who thread-${lane.color}`}><bdi>{lane.name}</bdi></span>{' '}
        {row.next && /^r?acq$/.test(event.kind) ? `wants ${event.about}` : <bdi>{sentence(report, event, row.value)}</bdi>}
        <span class="quiet"> · event {row.event}{place && <> · <bdi>{place.short}</bdi>{place.fn && <> in <bdi>{place.fn}</bdi></>}</>}</span>
        {row.mark && <span class="remark"> ◀ {row.mark}</span>}
      </p>
      <p class="held quiet">
        {locks.length === 0 ? 'No lock is held here that matters to the finding.' : (
          <>Held: {locks.map((lock, i) => (
            <span key={i}>{i > 0 && ', '}<bdi class="about">{lock.name}</bdi> by <bdi>{layout.lanes[lock.lane].short}</bdi></span>
          ))}.</>
        )}
      </p>
      {place && place.file && place.file.newer && (
        <p class="warning">{place.file.short} was changed after the trace was written: lines may not be the ones that ran.</p>
      )}
      {place && place.file && !missing && <Window file={place.file} line={place.line} />}
      <Callers callers={callersOf(report, event)} />
      {missing && <p class="quiet"><bdi>{place.file.name}</bdi> {place.file.outside
        ? 'lies outside the folders that source may come from: name one with --source-root.'
        : 'was not found when this page was made, or is no source file.'}</p>}
    </section>
  );
}
