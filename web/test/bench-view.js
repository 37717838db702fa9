// Figures of `heddle view` in a browser, for traces of several sizes: bench/view prints them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { generate, start, stop } from './browser.js';
import { frames, openView, panAndZoom, serve } from './view.js';

const row = (...cells) => console.log(cells.map((cell, i) => `${cell}`.padStart(i ? 14 : 10)).join(''));

await start();
row('events', 'first picture', 'frames/s', '95% within', 'memory');
for (const events of [100_000, 1_000_000, 10_000_000]) {
  const trace = generate(`${events}.htr`, 'bank', events, '8', '1');
  const began = performance.now();
  const server = await serve(trace);
  const page = await openView(server.address);
  const first = performance.now() - began;
  const { rate, p95 } = await frames(page, () => panAndZoom(page, 120));
  const listed = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n').find((line) => line.includes(trace) && line.includes(' view '));
  const [, peak] = readFileSync(`/proc/${listed.trim().split(' ')[0]}/status`, 'utf8').match(/VmHWM:\s+(\d+)/);
  row(events, `${first.toFixed(0)} ms`, rate.toFixed(0), `${p95.toFixed(0)} ms`, `${(peak / 1024).toFixed(0)} MB`);
  await page.done();
  await server.end();
}
await stop();
