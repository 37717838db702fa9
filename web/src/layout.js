// From a run's items to rows, lanes, lock bars and arrows: everything about a diagram but how it looks.

const HEIGHT = { line: 30, code: 16, remark: 19, gap: 28 }; // in pixels, as style.css has them
const SMALL_GAP = 3; // a stretch this short is shown at once

/** Rows of a run. `open` holds the keys of the stretches that are unfolded. */
function makeRows(run, open, name) {
  const rows = [];
  let position = 0;
  run.items.forEach((item, index) => {
    if (!Array.isArray(item)) {
      rows.push({ type: 'step', event: item, position: ++position });
      return;
    }
    const [count, ...kept] = item;
    const key = `${name}${index}`;
    const folds = count > SMALL_GAP || kept.length < count;
    if (folds && !open.has(key)) {
      rows.push({ type: 'gap', key, count, kept: kept.length, from: position + 1, to: position + count });
      position += count;
      return;
    }
    const head = Math.ceil(kept.length / 2);
    kept.forEach((event, i) => {
      if (i === head && kept.length < count) {
        const hidden = count - kept.length;
        rows.push({ type: 'gap', key, count: hidden, kept: 0, from: position + 1, to: position + hidden, lost: true });
        position += hidden;
      }
      rows.push({ type: 'step', event, position: ++position, unfolded: true, key: folds ? key : undefined });
    });
  });
  for (const event of run.next || []) rows.push({ type: 'step', event, position: ++position, next: true });
  return rows;
}

/** Where each row is; `stacked`: with the line of source below what happens, not beside it. */
function place(rows, stacked) {
  let top = 0;
  for (const row of rows) {
    row.height = row.type === 'gap' ? HEIGHT.gap : HEIGHT.line + (stacked && row.hasPlace ? HEIGHT.code : 0) + (row.mark ? HEIGHT.remark : 0);
    row.top = top;
    row.middle = top + Math.min(row.height, HEIGHT.line) / 2;
    top += row.height;
  }
  return top;
}

/** The threads of both runs, in the order of their numbers: both diagrams have the same lanes. */
function lanesOf(report, runs) {
  const threads = new Set();
  for (const rows of runs) for (const row of rows) if (row.type === 'step') threads.add(report.events.get(row.event).thread);
  const ids = [...threads].sort((a, b) => a - b);
  const firsts = ids.map((id) => report.threads.get(id).split(/\s+/)[0]);
  return ids.map((id, i) => ({
    id,
    name: report.threads.get(id),
    short: firsts.filter((f) => f === firsts[i]).length > 1 ? report.threads.get(id) : firsts[i],
    color: i % 8,
  }));
}

/** Whether a run of the finding would have the event: some have synchronization only, and the rest happens with it. */
const isTold = (report, finding, event) => !finding.synchronization || !/^(r|w|ar|aw|rmw|fence|d?begin|d?end)$/.test(report.events.get(event).kind);

/** Events that run before something they came after: what was reordered. */
function findMoved(report, finding, observed, witness) {
  const order = observed.filter((row) => row.type === 'step' && isTold(report, finding, row.event)).map((row) => row.event);
  const done = new Set();
  const moved = new Set();
  for (const row of witness) {
    if (row.type !== 'step') continue;
    const thread = report.events.get(row.event).thread;
    if (order.some((e) => e < row.event && !done.has(e) && report.events.get(e).thread !== thread && e !== row.event &&
      !(row.next && witness.some((other) => other.next && other.event === e))))
      moved.add(row.event);
    done.add(row.event);
  }
  return moved;
}

const rowAt = (rows, position) =>
  rows.find((row) => (row.type === 'gap' ? row.from <= position && position <= row.to : row.position === position));

/** Bars for the stretches in which a thread holds a lock. */
function barsOf(report, finding, rows, lanes, length, isWitness) {
  const bars = [];
  const known = new Set();
  const add = (acquire, from, to, open) => {
    const event = report.events.get(acquire);
    const lane = lanes.findIndex((l) => l.id === event.thread);
    if (lane < 0 || !from || !to || known.has(acquire)) return;
    known.add(acquire);
    bars.push({ lane, from, to, open, name: event.about, acquire });
  };
  const end = [...rows].reverse().find((row) => row.type === 'gap' || (row.type === 'step' && !row.next));
  const position = new Map(rows.filter((r) => r.type === 'step' && !r.next).map((r) => [r.event, r.position]));
  for (const [acquire, release, acquireAt, releaseAt] of finding.sections || []) {
    const from = isWitness ? acquireAt : acquire <= length ? acquire : 0;
    const to = isWitness ? releaseAt : release && release <= length ? release : 0;
    if (!from) continue;
    add(acquire, rowAt(rows, from), to ? rowAt(rows, to) : rows.some((r) => r.next) ? rows[rows.length - 1] : end, !to);
  }
  // What was unfolded brings further sections; those that end out of sight are left alone.
  for (const [number, at] of position) {
    const event = report.events.get(number);
    if (event.kind !== 'acq' && event.kind !== 'racq') continue;
    const release = rows.find((r) => r.type === 'step' && r.position > at && !r.next &&
      ['rel', 'rrel'].includes(report.events.get(r.event).kind) && report.events.get(r.event).thread === event.thread &&
      report.events.get(r.event).about === event.about);
    if (release) add(number, rowAt(rows, at), release, false);
  }
  bars.sort((a, b) => a.from.top - b.from.top);
  for (const bar of bars)
    bar.depth = bars.filter((other) => other !== bar && other.lane === bar.lane && other.from.top < bar.from.top &&
      other.to.top >= bar.from.top).length;
  return bars;
}

/** Arrows and brackets between a finding's events: {from, to, kind, label}. */
function linksOf(report, finding, rows, isWitness, values) {
  const last = (event) => [...rows].reverse().find((row) => row.type === 'step' && row.event === event);
  const row = (event) => (event === 0 ? rows.find((r) => r.type === 'initial') : last(event));
  const links = [];
  const link = (from, to, kind, label) => {
    const [a, b] = [row(from), row(to)];
    if (a && b && a !== b) links.push({ from: a, to: b, kind, label });
  };
  const [first, second, third] = finding.events;
  switch (finding.propertyName) {
    case 'nondeterminism':
      if (isWitness) link(third, first, 'new', values[first]);
      else link(second, first, 'old', report.events.get(first)?.value);
      break;
    case 'race':
      if (isWitness) link(first, second, 'clash');
      break;
    case 'unordered':
      link(first, second, 'clash');
      break;
    case 'atomicity':
      link(first, third, 'block');
      if (isWitness) {
        link(first, second, 'new');
        link(second, third, 'new');
      }
      break;
    case 'stale':
      link(first, third, 'block');
      if (isWitness) {
        link(first, second, 'new');
        link(second, third, 'new');
      }
      break;
    case 'stuck':
      if (isWitness)
        finding.events.forEach((event, i) => {
          const to = rows.filter((r) => r.type === 'step' && !r.next && r.event === finding.helpers[i]).pop();
          if (to) links.push({ from: last(event), to, kind: 'wait', label: 'waits for' });
        });
      break;
    case 'deadlock':
      if (isWitness)
        finding.events.forEach((event, i) => {
          const holder = report.events.get(finding.holders[i]);
          const lock = report.events.get(event).about;
          if (!holder) return;
          const taken = rows.filter((r) => r.type === 'step' && !r.next && report.events.get(r.event).thread === holder.thread &&
            report.events.get(r.event).about === lock && report.events.get(r.event).kind === 'acq').pop();
          if (taken) links.push({ from: last(event), to: taken, kind: 'wait', label: 'waits for' });
        });
      break;
    default:
      if (finding.conflict) link(second, third, 'clash');
      for (let i = finding.cycle; finding.cycle > 0 && (isWitness || !finding.witness) && i + 1 < finding.events.length; i += 2)
        link(finding.events[i], finding.events[i + 1], 'new');
  }
  return links;
}

const OBSERVED_MARKS = {
  nondeterminism: (report, f, event) => {
    if (event === f.events[0]) return f.events[1] === 0 ? 'sees the initial value' : `sees event ${f.events[1]}`;
    return undefined;
  },
  'final-state': (report, f, event) => (event === f.events[0] ? 'is the last write' : undefined),
};

/** Everything the two diagrams of a finding show. */
export function layOut(report, finding, open, stacked) {
  if (!finding.observed) return null;
  const observed = makeRows(finding.observed, open, 'o');
  const witness = finding.witness ? makeRows(finding.witness, open, 'w') : null;
  const lanes = lanesOf(report, witness ? [observed, witness] : [observed]);
  const own = new Set(finding.events);
  const moved = witness ? findMoved(report, finding, observed, witness) : new Set();
  const happens = new Set(witness ? witness.map((row) => row.event) : []);
  const values = finding.witness ? finding.witness.values : {};

  const finish = (rows, isWitness, run) => {
    const marks = (isWitness ? finding.witness.marks : finding.marks) || {};
    const needsInitial = finding.propertyName === 'nondeterminism' && (isWitness ? finding.events[2] : finding.events[1]) === 0;
    if (needsInitial) rows.unshift({ type: 'initial', position: 0 });
    for (const row of rows) {
      if (row.type !== 'step') continue;
      const event = report.events.get(row.event);
      row.lane = lanes.findIndex((l) => l.id === event.thread);
      row.hasPlace = report.places.has(event.place);
      row.own = own.has(row.event);
      row.moved = moved.has(row.event);
      row.absent = !!witness && !isWitness && !happens.has(row.event) && isTold(report, finding, row.event);
      row.value = isWitness && row.event in values ? values[row.event] : event.value;
      row.mark = row.own ? (isWitness && (!finding.witness.next || row.next)) || !witness ? marks[row.event]
        : !isWitness ? OBSERVED_MARKS[finding.propertyName]?.(report, finding, row.event) : undefined : undefined;
    }
    const height = place(rows, stacked);
    return {
      rows, height, isWitness, length: run.length, prefix: run.prefix,
      steps: rows.filter((row) => row.type === 'step'),
      bars: barsOf(report, finding, rows, lanes, run.length, isWitness),
      links: linksOf(report, finding, rows, isWitness, values),
    };
  };
  return {
    lanes,
    observed: finish(observed, false, finding.observed),
    witness: witness ? finish(witness, true, finding.witness) : null,
    moved,
    absent: observed.some((row) => row.absent),
  };
}

/** Who holds which lock after the step at `index` of a run, as far as the rows tell. */
export function locksAt(report, run, row) {
  return run.bars
    .filter((bar) => bar.from.top <= row.top && (bar.open ? true : bar.to.top > row.top))
    .map((bar) => ({ lane: bar.lane, name: bar.name }));
}
