// What the tests and the figures of `heddle view` share: the server, its page in a browser, and the browser's own trace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { open } from './browser.js';

const { HEDDLE } = process.env;

/** Starts the server; its address, and how to end it, which gives its exit status. */
export async function serve(...args) {
  const server = spawn(HEDDLE, ['view', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [address] = await once(createInterface({ input: server.stdout }), 'line');
  const end = async () => {
    server.kill('SIGINT');
    const [status] = await once(server, 'exit');
    return status;
  };
  return { address, end };
}

/** Waits until what is looked at is drawn and listed: nothing is on its way. */
export const settled = (page) => page.waitForFunction(() => document.body.dataset.settled === 'yes', null, { polling: 20 });

/** Waits for the first picture. */
export const pictured = (page) => page.waitForFunction(() => document.body.dataset.first, null, { polling: 20 });

/** Opens the page of the server. Only its own data may be asked for. */
export async function openView(address) {
  const page = await open(address);
  await pictured(page);
  return page;
}

/** Does something while the browser traces itself; the frames it drew a second, and the longest time between two. */
export async function frames(page, action) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame', 'devtools.timeline.frame'] });
  await action();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const drawn = traceEvents.filter((e) => e.name === 'DrawFrame').map((e) => e.ts / 1000).sort((a, b) => a - b);
  const gaps = drawn.slice(1).map((t, i) => t - drawn[i]).sort((a, b) => a - b);
  const seconds = (drawn.at(-1) - drawn[0]) / 1000;
  return { count: drawn.length, rate: (drawn.length - 1) / seconds, p95: gaps[Math.floor(gaps.length * 0.95)] };
}

/** Pans and zooms by hand for a while: the wheel turned and the picture dragged, an input each frame. */
export async function panAndZoom(page, rounds) {
  const box = await page.locator('#canvas').boundingBox();
  const middle = { x: box.x + box.width * 0.6, y: box.y + 100 };
  await page.mouse.move(middle.x, middle.y);
  for (let i = 0; i < rounds; i++) await page.mouse.wheel(0, i < rounds * 0.7 ? -120 : 200);
  await page.mouse.down();
  for (let i = 0; i < rounds; i++) await page.mouse.move(middle.x - (i % 60) * 5, middle.y);
  await page.mouse.up();
}
