// The page of `heddle view`: a trace that is far larger than the page, zoomed and panned.
import './style.css';
import { ask, Pictures } from './data.js';
import { color, drawFrame, grouped, imageOf, LABELS, threadColor } from './draw.js';

const element = (id) => document.getElementById(id);
const canvas = element('canvas');
const overview = element('overview');
const LEAST = 20; // events that a view shows at least, if there are as many
const LISTED = 400; // rows of the table

let info;
let pictures;
let whole; // the picture of all events, for the strip above
let view = { from: 1, to: 2, scroll: 0 };
let marks = []; // events of the finding or the search
let searched = null; // the last question for names: { kind, text }
let target = null; // the name that was chosen: { kind, id, name, at }
let targetColumns = null; // where it is, over the whole trace
let looked = null; // the picture that is drawn
let listing = 0; // a timer
let waiting = false;

/** Draws with the next frame, once. */
function redraw() {
  document.body.dataset.settled = '';
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    frame();
  });
}

function frame() {
  const room = Math.max(1, canvas.clientWidth - LABELS);
  const picture = pictures.get(view, room, view.lane || 0);
  drawFrame(canvas, picture, view, marks);
  drawOverview();
  element('shown').textContent = `events ${grouped(Math.max(1, view.from))} to ${grouped(Math.min(info.events, view.to))} of ${grouped(info.events)}`;
  looked = picture;
  clearTimeout(listing);
  listing = setTimeout(listEvents, 60); // not in every frame while the view moves
  if (picture && !document.body.dataset.first) document.body.dataset.first = performance.now();
}

/** The strip without the frame around what is looked at: drawn when it changes. */
function drawStrip(width) {
  const strip = document.createElement('canvas');
  strip.width = width;
  strip.height = overview.height;
  const g = strip.getContext('2d');
  const { image, laid } = imageOf(whole);
  const top = laid.lanes[0].top;
  const bottom = laid.lanes.at(-1).top + laid.lanes.at(-1).height;
  g.drawImage(image, 0, top, image.width, bottom - top, 0, 0, width, strip.height);
  g.fillStyle = color('--mark');
  targetColumns?.forEach((count, c) => count && g.fillRect((c * width) / targetColumns.length, 0, Math.max(1, width / targetColumns.length), 8));
  return Object.assign(strip, { columns: targetColumns });
}

let strip = null;

function drawOverview() {
  const width = overview.clientWidth;
  if (overview.width !== width) overview.width = width;
  const g = overview.getContext('2d');
  g.clearRect(0, 0, width, overview.height);
  if (whole) {
    if (strip?.width !== width || strip.columns !== targetColumns) strip = drawStrip(width);
    g.drawImage(strip, 0, 0);
  }
  g.strokeStyle = color('--ink');
  g.lineWidth = 2;
  const left = ((view.from - 1) / info.events) * width;
  g.strokeRect(left + 1, 1, Math.max(3, ((view.to - view.from) / info.events) * width - 2), overview.height - 2);
}

/** Shows events `from` to `to`, as far as there are any. */
function show(from, to) {
  const span = Math.min(Math.max(to - from, LEAST), info.events);
  const start = Math.min(Math.max(1, from - (span - (to - from)) / 2), info.events + 1 - span);
  view = { ...view, from: start, to: start + span };
  redraw();
}

function zoom(factor, at = (view.from + view.to) / 2) {
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

const pan = (events) => show(view.from + events, view.to + events);

/** The event under a point of the canvas. */
const eventAt = (x) => view.from + ((x - LABELS) / Math.max(1, canvas.clientWidth - LABELS)) * (view.to - view.from);

function goTo(event) {
  const span = Math.min(view.to - view.from, 200);
  marks = [event];
  show(event - span / 2, event + span / 2);
}

/** Lists the events that are looked at, if they are few enough. */
function listEvents() {
  const table = element('events');
  const events = (looked?.events || []).filter(([number]) => number >= Math.floor(view.from) && number <= view.to);
  table.replaceChildren();
  element('events-note').textContent = looked?.events ? '' : 'Zoom in to see each event.';
  if (events.length > LISTED) element('events-note').textContent = `The first ${LISTED} of ${grouped(events.length)}:`;
  for (const [number, thread, word, object, place, value] of events.slice(0, LISTED)) {
    const row = table.insertRow();
    row.className = marks.includes(number) ? 'now' : '';
    row.dataset.event = number;
    const name = looked.lanes.find((lane) => lane.thread === thread)?.name ?? thread;
    for (const text of [number, name, `${word}${object && `(${object}${value && `=${value}`})`}`, place]) row.insertCell().textContent = text;
    row.cells[1].style.borderLeft = `4px solid ${threadColor(thread)}`;
  }
  table.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
  if (looked && !pictures.busy) document.body.dataset.settled = 'yes';
}

function button(text, action) {
  const item = document.createElement('li');
  const inner = document.createElement('button');
  inner.textContent = text;
  inner.addEventListener('click', action);
  item.append(inner);
  return item;
}

/** What was found before is gone at once; only the answer to the last question counts. */
async function search(kind, text) {
  const question = { kind, text };
  searched = question;
  element('found').textContent = '';
  element('names').replaceChildren();
  const { names, found } = await ask('names', question);
  if (searched !== question) return;
  element('found').textContent = found > names.length ? `${grouped(found)} found, the first ${names.length}:` : `${grouped(found)} found`;
  element('names').replaceChildren(...names.map(([id, name]) => button(name, () => choose({ kind, id, name }))));
}

async function choose(what) {
  const chosen = { ...what, at: 0 };
  target = chosen;
  element('target').hidden = false;
  element('target-name').textContent = what.name;
  const answer = await ask('marks', { kind: what.kind, id: what.id, from: 1, to: info.events, columns: Math.min(1000, info.events) });
  if (target !== chosen) return;
  targetColumns = answer.columns;
  element('target-count').textContent = `${grouped(answer.found)} events`;
  await step(false);
}

async function step(back) {
  const of = target;
  const at = back ? of.at || info.events : of.at;
  const { event } = await ask('next', { kind: of.kind, id: of.id, event: at, back: back ? 1 : 0 });
  if (!event || target !== of) return;
  of.at = event;
  goTo(event);
}

function goToFinding(finding) {
  const first = finding.events[0];
  const last = finding.events.at(-1);
  const margin = Math.max(10, (last - first) * 0.2);
  marks = finding.events;
  show(first - margin, last + margin);
}

function onKey(event) {
  const moves = { ArrowLeft: () => pan(-(view.to - view.from) / 8), ArrowRight: () => pan((view.to - view.from) / 8), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), 0: () => show(1, info.events + 1), Home: () => show(1, 1 + view.to - view.from), End: () => show(info.events + 1 - (view.to - view.from), info.events + 1), ArrowDown: () => scroll(40), ArrowUp: () => scroll(-40) };
  if (!moves[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}

/** Moves down or up; beyond the lanes of a picture are those of other threads. */
function scroll(by) {
  const rows = Math.max(0, (pictures.kept[0]?.laid?.height ?? 0) - canvas.clientHeight + 20);
  const lane = view.lane || 0;
  const next = view.scroll + by;
  if (next > rows && lane + 64 < info.threads) view = { ...view, lane: lane + 64, scroll: 0 };
  else if (next < 0 && lane > 0) view = { ...view, lane: lane - 64, scroll: 0 };
  else view = { ...view, scroll: Math.min(rows, Math.max(0, next)) };
  redraw();
}

function onPointer() {
  let held = null;
  canvas.addEventListener('pointerdown', (event) => {
    held = { x: event.clientX, y: event.clientY };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!held) {
      hover(event);
      return;
    }
    pan(((held.x - event.clientX) / Math.max(1, canvas.clientWidth - LABELS)) * (view.to - view.from));
    if (held.y !== event.clientY) scroll(held.y - event.clientY);
    held = { x: event.clientX, y: event.clientY };
  });
  const drop = () => { held = null; };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (event.shiftKey) scroll(event.deltaY);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX / canvas.clientWidth) * (view.to - view.from));
    else zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), eventAt(event.offsetX));
  }, { passive: false });
  overview.addEventListener('click', (event) => {
    const at = 1 + (event.offsetX / overview.clientWidth) * info.events;
    show(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
  });
}

function hover(event) {
  const picture = looked;
  const number = Math.floor(eventAt(event.offsetX));
  if (!picture?.laid || event.offsetX < LABELS || number < 1 || number > info.events) {
    element('hover').textContent = '';
    return;
  }
  const y = event.offsetY + view.scroll;
  const rows = [...picture.laid.lanes, ...picture.laid.locks];
  const row = rows.find((r) => y >= r.top && y < r.top + r.height + 4);
  const exact = picture.events?.find((e) => e[0] === number);
  const words = exact ? ` ${exact[2]}${exact[3] && `(${exact[3]}${exact[5] && `=${exact[5]}`})`} ${exact[4]}` : '';
  const column = Math.floor(((number - picture.from) * picture.columns) / (picture.to - picture.from + 1));
  let what = row ? `${row.name}: ` : '';
  if (row?.bars) {
    const bar = row.bars.find(([from, width]) => column >= from && column < from + width);
    what += bar ? `held by ${picture.lanes.find((lane) => lane.thread === bar[2])?.name ?? `thread ${bar[2]}`}` : 'free';
  } else if (row) {
    what += `${grouped(row.accesses[column] ?? 0)} accesses and ${grouped(row.others[column] ?? 0)} other events here`;
  }
  element('hover').textContent = `event ${grouped(number)}${words}${what && ` · ${what}`}`;
}

async function start() {
  info = await ask('info');
  document.title = `${info.file} · heddle view`;
  element('file').textContent = `${info.file}${info.cut ? ' (cut short)' : ''}`;
  pictures = new Pictures(info.events, (picture, error) => {
    if (error) element('hover').textContent = `The server does not answer: ${error.message}`;
    whole = whole || picture;
    redraw();
  });
  view = { from: 1, to: info.events + 1, scroll: 0, lane: 0 };
  element('findings-title').hidden = info.findings.length === 0;
  element('findings').replaceChildren(...info.findings.map((f) => button(`${f.id} ${f.title}`, () => goToFinding(f))));
  element('go').addEventListener('submit', (event) => {
    event.preventDefault();
    const number = Number(element('event').value.replace(/[ ,.]/g, ''));
    if (number >= 1 && number <= info.events) goTo(Math.floor(number));
  });
  element('search').addEventListener('submit', (event) => {
    event.preventDefault();
    search(element('kind').value, element('text').value);
  });
  element('previous').addEventListener('click', () => step(true));
  element('next').addEventListener('click', () => step(false));
  element('in').addEventListener('click', () => zoom(0.5));
  element('out').addEventListener('click', () => zoom(2));
  element('all').addEventListener('click', () => show(1, info.events + 1));
  canvas.addEventListener('keydown', onKey);
  onPointer();
  new ResizeObserver(redraw).observe(canvas);
  redraw();
}

start();
