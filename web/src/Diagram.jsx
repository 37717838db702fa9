import { curveBumpY, line } from 'd3-shape';
import { describe, grouped, plural, sentence } from './data.js';
import { piecesOf } from './highlight.js';

const LANE = { wide: 36, narrow: 26 };
const BAR = 9;

export function Pieces({ pieces }) {
  return pieces.map((piece, i) => (piece.scope ? <span key={i} class={`hl-${piece.scope}`}>{piece.text}</span> : piece.text));
}

const laneWidth = (layout) => (layout.lanes.length <= 4 ? LANE.wide : LANE.narrow);
const laneX = (layout, lane) => laneWidth(layout) * (lane + 0.5);
const dotX = (layout, row) => (row.type === 'initial' ? 6 : laneX(layout, row.lane));

const curve = line().curve(curveBumpY);

/** From one dot to the other, with room for the dots; beside the lane where both are in one. */
function pathOf(layout, link) {
  const [x1, x2] = [dotX(layout, link.from), dotX(layout, link.to)];
  const [y1, y2] = [link.from.middle, link.to.middle];
  const down = y2 > y1 ? 1 : -1;
  if (link.kind === 'block') return `M${x1 - 10},${y1}H${x1 - 15}V${y2}H${x2 - 10}`;
  if (link.from.lane === link.to.lane && link.from.type !== 'initial') {
    const side = x1 + laneWidth(layout) * 0.42;
    return `M${x1 + 7},${y1 + 3 * down}C${side + 6},${y1 + 8 * down} ${side + 6},${y2 - 8 * down} ${x2 + 8},${y2 - 3 * down}`;
  }
  if (Math.abs(y2 - y1) < 40) return `M${x1 + (x2 > x1 ? 8 : -8)},${y1 + 4 * down}L${x2 + (x2 > x1 ? -9 : 9)},${y2 - 5 * down}`;
  return curve([[x1, y1 + 8 * down], [x2, y2 - 10 * down]]);
}

function Label({ layout, link }) {
  if (link.label === undefined || link.kind === 'wait') return null;
  const text = link.label === '' ? '?' : link.label.length > 9 ? `${link.label.slice(0, 8)}…` : link.label;
  const x = (dotX(layout, link.from) + dotX(layout, link.to)) / 2;
  const y = (link.from.middle + link.to.middle) / 2;
  const width = 10 + text.length * 7;
  return (
    <g class={`label ${link.kind}`} transform={`translate(${x},${y})`}>
      <rect x={-width / 2} y={-9} width={width} height={18} rx={9} />
      <text text-anchor="middle" dy="0.35em">{text}</text>
    </g>
  );
}

function Lanes({ layout, run, name, current }) {
  const width = laneWidth(layout) * layout.lanes.length;
  const locks = [...new Set(run.bars.map((bar) => bar.name))].sort();
  return (
    <svg class="lanes" width={width} height={run.height} viewBox={`0 0 ${width} ${run.height}`} aria-hidden="true">
      <defs>
        {['old', 'new', 'clash', 'wait'].map((kind) => (
          <marker key={kind} id={`${name}-${kind}`} class={`head ${kind}`} viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="8" markerHeight="8"
            markerUnits="userSpaceOnUse" orient="auto-start-reverse">
            <path d="M0,0.5L7.5,4L0,7.5z" />
          </marker>
        ))}
      </defs>
      {layout.lanes.map((lane, i) => (
        <line key={lane.id} class={`lane thread-${lane.color}`} x1={laneX(layout, i)} x2={laneX(layout, i)} y1="0" y2={run.height} />
      ))}
      {run.bars.map((bar) => (
        <rect key={bar.acquire} class={`lock lock-${locks.indexOf(bar.name) % 4} ${bar.open ? 'open' : ''}`} rx="4"
          x={laneX(layout, bar.lane) - BAR - bar.depth * 4} width={2 * BAR + bar.depth * 8}
          y={bar.from.middle - 11} height={(bar.open ? bar.to.top + bar.to.height : bar.to.middle + 11) - bar.from.middle + 11}>
          <title>{bar.name}</title>
        </rect>
      ))}
      {run.rows.map((row) => {
        if (row.type === 'gap') return null;
        const x = dotX(layout, row);
        if (row.type === 'initial') return <rect key="initial" class="dot initial" x={x - 5} y={row.middle - 5} width="10" height="10" />;
        return (
          <g key={`${row.position}`} class={`thread-${layout.lanes[row.lane].color}`}>
            {row.event === current && <circle class="halo" cx={x} cy={row.middle} r="11" />}
            <circle cx={x} cy={row.middle} r={row.own ? 6.5 : 4.5}
              class={`dot ${row.own ? 'own' : ''} ${row.absent ? 'absent' : ''} ${row.next ? 'next' : ''}`} />
          </g>
        );
      })}
      {run.links.map((link, i) => (
        <path key={i} class={`arrow ${link.kind}`} d={pathOf(layout, link)}
          marker-end={link.kind === 'block' ? undefined : `url(#${name}-${link.kind})`}
          marker-start={link.kind === 'clash' ? `url(#${name}-${link.kind})` : undefined} />
      ))}
      {run.links.map((link, i) => <Label key={i} layout={layout} link={link} />)}
    </svg>
  );
}

function What({ report, row, finding }) {
  const event = report.events.get(row.event);
  const { verb, about, value, rest } = describe(report, event, row.value);
  const wants = row.next && (event.kind === 'acq' || event.kind === 'racq');
  return (
    <>
      {wants ? 'wants' : verb}
      {about && <> <bdi class="about">{about}</bdi></>}
      {value !== undefined && !wants && <> = <bdi class="value">{value}</bdi></>}
      {rest}
    </>
  );
}

/** What the colours of a row say, for those who do not see them. */
const unseen = (row) => [row.moved && 'runs earlier than observed', row.absent && 'does not happen in the possible run', row.next && 'can come next']
  .filter(Boolean).join(', ');

function Step({ report, layout, row, current, choose, id }) {
  const event = report.events.get(row.event);
  const place = report.places.get(event.place);
  const pieces = place && piecesOf(place.file, place.line);
  const lane = layout.lanes[row.lane];
  const classes = ['row', row.own && 'own', row.moved && 'moved', row.absent && 'absent', row.unfolded && 'unfolded', current && 'now', row.mark && 'marked'];
  return (
    <li id={id} aria-current={current ? 'step' : undefined} class={classes.filter(Boolean).join(' ')} style={{ height: `${row.height}px` }}
      onClick={choose}>
      <span class="number">{row.event}</span>
      <span class="room" />
      <span class="what" title={sentence(report, event, row.value)}>
        <span class={`who thread-${lane.color}`} title={lane.name}><bdi>{lane.short}</bdi></span>{' '}
        <What report={report} row={row} />
      </span>
      <span class="code" title={place ? place.text : undefined}>
        {pieces ? <><span class="line">{place.line}</span><code><Pieces pieces={trimmed(pieces)} /></code></> : place ? <span class="place"><bdi>{place.short}</bdi></span> : null}
      </span>
      {row.mark && <span class="remark"><span aria-hidden="true">◀ </span>{row.mark}</span>}
      {unseen(row) && <span class="hidden">{unseen(row)}</span>}
    </li>
  );
}

/** Without the blanks it begins with. */
function trimmed(pieces) {
  const first = pieces.findIndex((piece) => piece.text.trim());
  if (first < 0) return [];
  return [{ ...pieces[first], text: pieces[first].text.trimStart() }, ...pieces.slice(first + 1)];
}

function Gap({ run, row, unfold }) {
  const asObserved = run.isWitness && row.to <= run.prefix;
  const text = `${plural(row.count, 'event')}${asObserved ? ' as observed' : ''}`;
  return (
    <li class="row gap" style={{ height: `${row.height}px` }}>
      <span class="number" />
      <span class="room" />
      {row.kept > 0 ? (
        <button class="link" onClick={() => unfold([row.key], true)} title={`Shows ${row.kept < row.count ? `${row.kept} of ` : ''}${text}`}>
          <span aria-hidden="true">⋯ </span>{text}
        </button>
      ) : (
        <span class="quiet">⋯ {text}{row.lost ? ' in between' : ''}, not kept in this page</span>
      )}
    </li>
  );
}

/** Room for the longest thing that a thread does, within reason: the rest is for the source. */
function whatWidth(report, layout, run) {
  const lengths = run.steps.map((row) => layout.lanes[row.lane].short.length + 1 + sentence(report, report.events.get(row.event), row.value).length);
  return Math.min(Math.max(100, ...lengths.map((length) => length * 7.2 + 24)), 248);
}

const numberWidth = (run) => Math.max(42, 7.4 * Math.max(0, ...run.steps.map((row) => String(row.event).length)) + 16);

export function Diagram({ report, layout, run, name, at, setAt, unfold, open, title, note }) {
  const active = at && at.run === name;
  const current = at ? at.event : null;
  const width = laneWidth(layout) * layout.lanes.length;
  const nowRow = [...run.steps].reverse().find((row) => row.event === current);
  const id = (row) => `${name}-${row.position}`;
  const folded = run.rows.filter((row) => row.type === 'gap' && row.kept > 0).map((row) => row.key);
  const unfolded = [...open].filter((key) => key.startsWith(name[0]));
  return (
    <section class={`run ${name} ${active ? 'active' : ''}`} style={{ '--lanes': `${width}px`, '--number': `${numberWidth(run)}px`, '--what': `${whatWidth(report, layout, run)}px` }} aria-label={title}>
      <h2>
        {title} <small>{note}</small>
        <span class="spacer" />
        {folded.length > 0 && <button class="link" onClick={() => unfold(folded, true)}>unfold</button>}
        {unfolded.length > 0 && <button class="link" onClick={() => unfold(unfolded, false)}>fold</button>}
      </h2>
      <div class="heads" aria-hidden="true">
        <span class="number">#</span>
        <span class="lane-heads">
          {layout.lanes.map((lane) => (
            <span key={lane.id} class={`lane-head thread-${lane.color}`} title={lane.name} style={{ width: `${laneWidth(layout)}px` }}>
              <bdi>{lane.short}</bdi>
            </span>
          ))}
        </span>
      </div>
      <div class="body">
        <Lanes layout={layout} run={run} name={name} current={current} />
        <ol class="rows" role="list" tabIndex={0} aria-label={`${title}, ${plural(run.steps.length, 'step')}`}
          onFocus={() => !active && nowRow && setAt({ run: name, event: current })}>
          {run.rows.map((row) => {
            if (row.type === 'gap') return <Gap key={`${row.key}-${row.from}`} run={run} row={row} unfold={unfold} />;
            if (row.type === 'initial')
              return (
                <li key="initial" class="row initial" style={{ height: `${row.height}px` }}>
                  <span class="number" />
                  <span class="room" />
                  <span class="what">initial value</span>
                </li>
              );
            return (
              <Step key={`${row.position}`} id={id(row)} report={report} layout={layout} row={row} current={row === nowRow}
                choose={() => setAt({ run: name, event: row.event })} />
            );
          })}
        </ol>
      </div>
    </section>
  );
}
