// Draws pictures: each once, into a canvas of its own, which is then moved and stretched as the view moves.

export const LABELS = 150; // pixels at the left, for names
const LANE = 26;
const LOCK = 14;
const AXIS = 20;

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A colour for each thread, for the bars of locks. */
export const threadColor = (thread) => `hsl(${(thread * 137.5) % 360} 55% 52%)`;

/** Where things are, from top to bottom. */
export function layout(picture) {
  const lanes = picture.lanes.map((lane, i) => ({ ...lane, top: AXIS + i * LANE, height: LANE - 4 }));
  const top = AXIS + lanes.length * LANE + 10;
  const locks = picture.locks.map((lock, i) => ({ ...lock, top: top + i * LOCK, height: LOCK - 4 }));
  return { lanes, locks, height: top + locks.length * LOCK + 4 };
}

/** The picture as an image, one pixel a column; kept with it. */
export function imageOf(picture) {
  if (picture.image) return picture;
  const { lanes, locks, height } = layout(picture);
  const image = document.createElement('canvas');
  image.width = picture.columns;
  image.height = height;
  const g = image.getContext('2d');
  const access = color('--access');
  const other = color('--other');
  let most = 1;
  for (const lane of lanes) for (let c = 0; c < picture.columns; c++) most = Math.max(most, lane.accesses[c] + lane.others[c]);
  for (const lane of lanes) {
    for (let c = 0; c < picture.columns; c++) {
      const all = lane.accesses[c] + lane.others[c];
      if (all === 0) continue;
      const high = Math.max(3, Math.round((lane.height * all) / most));
      const part = Math.round((high * lane.others[c]) / all);
      g.fillStyle = access;
      g.fillRect(c, lane.top + lane.height - high, 1, high);
      g.fillStyle = other;
      g.fillRect(c, lane.top + lane.height - part, 1, part);
    }
  }
  for (const lock of locks) {
    for (const [column, width, owner, level] of lock.bars) {
      g.globalAlpha = 0.25 + (0.75 * level) / 8;
      g.fillStyle = threadColor(owner);
      g.fillRect(column, lock.top, width, lock.height);
    }
  }
  g.globalAlpha = 1;
  Object.assign(picture, { image, laid: { lanes, locks, height } });
  return picture;
}

/** Numbers as people read them. */
export const grouped = (number) => Math.round(number).toLocaleString('en-US');

/** Marks on the axis: round numbers, far enough from each other. */
export function ticks(from, to, width) {
  const least = ((to - from) / Math.max(1, width)) * 110;
  let step = 1;
  for (let i = 0; step < least; i++) step = [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3);
  const result = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) result.push(at);
  return result;
}

function drawAxis(g, view, x, width, height) {
  g.fillStyle = color('--faint');
  g.strokeStyle = color('--line');
  g.font = '11px system-ui, sans-serif';
  for (const at of ticks(Math.max(1, view.from), view.to, width)) {
    g.beginPath();
    g.moveTo(x(at), AXIS - 4);
    g.lineTo(x(at), height);
    g.stroke();
    g.fillText(grouped(at), x(at) + 3, 12);
  }
}

function drawLabels(g, laid, scroll) {
  g.font = '12px system-ui, sans-serif';
  for (const row of [...laid.lanes, ...laid.locks]) {
    g.fillStyle = color('--ink');
    g.fillText(row.name.length > 24 ? `${row.name.slice(0, 11)}…${row.name.slice(-12)}` : row.name, 0, row.top - scroll + Math.min(row.height, 14));
  }
}

/** One frame: the picture under the view, marks, axis and names. Everything is redrawn; the picture is one image. */
export function drawFrame(canvas, picture, view, marks) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  const room = width - LABELS;
  const x = (event) => LABELS + ((event - view.from) / (view.to - view.from)) * room;
  g.save();
  g.beginPath();
  g.rect(LABELS, 0, room, height);
  g.clip();
  if (picture) {
    const { image, laid } = imageOf(picture);
    const left = x(picture.from);
    const right = x(picture.to + 1);
    g.imageSmoothingEnabled = right - left < picture.columns;
    g.drawImage(image, 0, 0, image.width, image.height, left, -view.scroll, right - left, image.height);
    for (const mark of marks) {
      g.fillStyle = color('--mark');
      g.fillRect(x(mark) - 1, AXIS, Math.max(2, x(mark + 1) - x(mark)), laid.height);
    }
  }
  g.clearRect(LABELS, 0, room, AXIS);
  drawAxis(g, view, x, room, height);
  g.restore();
  if (picture) drawLabels(g, imageOf(picture).laid, view.scroll);
}
