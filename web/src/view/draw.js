// Draws pictures: each once, into a canvas of its own, which is then moved and stretched as the view moves.

export const LABELS = 150; // pixels at the left, for names
const LANE = 26;
const LOCK = 14;
const AXIS = 20;

/** Colours of the style sheet, looked up once for each scheme. */
let colors = {};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { colors = {}; });
export const color = (name) => {
  colors[name] ||= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return colors[name];
};

/** A colour for each thread, for the bars of locks: hues as far from each other as they can be. */
export function threadRgb(thread) {
  const hue = (thread * 137.5) % 360;
  const part = (n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (0.52 - 0.264 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}
export const threadColor = (thread) => `rgb(${threadRgb(thread).join(' ')})`;

const hexRgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

/** A colour as a pixel of an image, of some opacity. */
const pixel = ([r, g, b], alpha) => ((Math.round(alpha * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Where things are, from top to bottom. */
export function layout(picture) {
  const lanes = picture.lanes.map((lane, i) => ({ ...lane, top: AXIS + i * LANE, height: LANE - 4 }));
  const top = AXIS + lanes.length * LANE + 10;
  const locks = picture.locks.map((lock, i) => ({ ...lock, top: top + i * LOCK, height: LOCK - 4 }));
  return { lanes, locks, height: top + locks.length * LOCK + 4 };
}

/** The picture as an image, one pixel a column; kept with it. Pixels are set one by one, which is much faster than drawing. */
export function imageOf(picture) {
  if (picture.image) return picture;
  const { columns } = picture;
  const { lanes, locks, height } = layout(picture);
  const data = new ImageData(columns, height);
  const pixels = new Uint32Array(data.data.buffer);
  const access = pixel(hexRgb(color('--access')), 1);
  const other = pixel(hexRgb(color('--other')), 1);
  let most = 1;
  for (const lane of lanes) for (let c = 0; c < columns; c++) most = Math.max(most, lane.accesses[c] + lane.others[c]);
  for (const lane of lanes) {
    const bottom = lane.top + lane.height;
    for (let c = 0; c < columns; c++) {
      const all = lane.accesses[c] + lane.others[c];
      if (all === 0) continue;
      const high = Math.max(3, Math.round((lane.height * all) / most));
      const low = Math.round((high * lane.others[c]) / all);
      for (let y = 1; y <= high; y++) pixels[(bottom - y) * columns + c] = y <= low ? other : access;
    }
  }
  for (const lock of locks) {
    for (const [column, width, owner, level] of lock.bars) {
      const value = pixel(threadRgb(owner), 0.25 + (0.75 * level) / 8);
      for (let y = lock.top; y < lock.top + lock.height; y++) pixels.fill(value, y * columns + column, y * columns + column + width);
    }
  }
  const image = document.createElement('canvas');
  image.width = columns;
  image.height = height;
  image.getContext('2d').putImageData(data, 0, 0);
  return Object.assign(picture, { image, laid: { lanes, locks, height } });
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
      g.fillRect(x(mark) - 1, AXIS, 2, laid.height);
      g.globalAlpha = 0.25;
      g.fillRect(x(mark), AXIS, x(mark + 1) - x(mark), laid.height);
      g.globalAlpha = 1;
    }
  }
  g.clearRect(LABELS, 0, room, AXIS);
  drawAxis(g, view, x, room, height);
  g.restore();
  if (picture) drawLabels(g, imageOf(picture).laid, view.scroll);
}
