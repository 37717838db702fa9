// The page of `heddle view` in a browser: what it shows of a trace, how it is moved, and who else may ask its server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { generate, heddle, inFolder, open, start, stop } from './browser.js';
import { frames, openView, panAndZoom, serve, settled } from './view.js';

const SMALL = `main|fork(T1)|bank.c:30 main
main|fork(T2)|bank.c:31 main
T1|acq(alice)|bank.c:10 transfer
T1|r(balance=10)|bank.c:12 transfer
T1|w(balance=-5)|bank.c:12 transfer
T1|rel(alice)|bank.c:14 transfer
T2|w(log=2)|bank.c:19 audit
T1|w(log=1)|bank.c:15 transfer
main|join(T1)|bank.c:32 main
main|join(T2)|bank.c:33 main
`;

let small;
let large;

before(async () => {
  await start();
  writeFileSync(inFolder('small.std'), SMALL);
  heddle('check', '--format=json', '-o', inFolder('small.json'), inFolder('small.std'));
  small = await serve(`--report=${inFolder('small.json')}`, inFolder('small.std'));
  large = await serve(generate('large.htr', 'bank', '300000', '6', '1'));
});
after(async () => {
  assert.equal(await small.end(), 0);
  assert.equal(await large.end(), 0);
  await stop();
});

const rows = (page) => page.$$eval('#events tr', (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
const shown = async (page) => {
  const text = await page.locator('#shown').innerText();
  return text.match(/[\d,]+/g).map((number) => Number(number.replace(/,/g, '')));
};

/** For each stretch of rows of the canvas, from a top to a bottom, whether some pixel is coloured. */
const inked = (page, stretches) => page.evaluate((all) => {
  const { width, height } = document.getElementById('canvas');
  const { data } = document.getElementById('canvas').getContext('2d').getImageData(160, 0, width - 160, height);
  const colored = (i) => data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40;
  return all.map(([top, bottom]) => data.subarray(top * (width - 160) * 4, bottom * (width - 160) * 4).some((_, i, part) => i % 4 === 0 && colored(part.byteOffset - data.byteOffset + i)));
}, stretches);

test('a small trace: lanes, the lock, each event, its findings', async () => {
  const page = await openView(small.address);
  await settled(page);
  assert.equal((await rows(page)).length, 10);
  assert.deepEqual((await rows(page))[4], ['5', 'T1', 'w(balance=-5)', 'bank.c:12 transfer']);
  // The lanes of three threads, nothing between them and the locks, one lock, nothing below.
  assert.deepEqual(await inked(page, [[20, 42], [46, 68], [72, 94], [99, 107], [108, 118], [122, 200]]), [true, true, true, false, true, false]);
  const [race] = JSON.parse(readFileSync(inFolder('small.json'), 'utf8')).findings.filter((f) => f.property === 'race');
  assert.match(await page.locator('#findings').innerText(), new RegExp(`${race.id} .*log at bank.c:15 transfer`));
  await page.locator('#findings button', { hasText: `${race.id} ` }).click();
  await settled(page);
  assert.deepEqual(await page.$$eval('#events tr.now', (all) => all.map((row) => Number(row.dataset.event))), [race.first, race.second]);
  await page.locator('#canvas').hover({ position: { x: 500, y: 60 } });
  assert.match(await page.locator('#hover').innerText(), /^event \d+ .* · T1: /);
  assert.deepEqual(page.trouble, []);
  await page.done();
});

test('a larger trace is zoomed from all events to each, and back', async () => {
  const page = await openView(large.address);
  await settled(page);
  const [begin, end, events] = await shown(page);
  assert.ok(begin === 1 && end === events && events >= 300000, `${begin} to ${end} of ${events}`);
  assert.equal(await page.locator('#events-note').innerText(), 'Zoom in to see each event.');
  for (let i = 0; i < 12; i++) await page.locator('#in').click();
  await settled(page);
  assert.ok((await rows(page)).length > 10);
  const [from, to] = await shown(page);
  assert.ok(to - from < 100 && from > 149000 && to < 151000, `${from} to ${to}`);
  await page.locator('#canvas').press('ArrowRight');
  await settled(page);
  assert.ok((await shown(page))[0] > from);
  await page.locator('#canvas').press('0');
  await settled(page);
  assert.equal((await shown(page))[0], 1);
  await page.locator('#event').fill('123,456');
  await page.locator('#go button').click();
  await settled(page);
  assert.equal(await page.locator('#events tr.now').getAttribute('data-event'), '123456');
  assert.deepEqual(page.trouble, []);
  await page.done();
});

test('search by variable, place and lock goes from event to event', async () => {
  const page = await openView(large.address);
  for (const [kind, text, cell] of [['variable', 'BALANCE1', 2], ['place', '.c:', 3], ['lock', 'lock', 2]]) {
    await page.selectOption('#kind', kind);
    await page.fill('#text', text);
    await page.locator('#search button').click();
    await page.waitForFunction(() => document.querySelectorAll('#names button').length > 0);
    await page.locator('#names button').first().click();
    const name = await page.locator('#target-name').innerText();
    await page.waitForFunction(([at, what]) => document.querySelector('#events tr.now')?.cells[at].textContent.includes(what), [cell, name]);
    const first = [await page.$eval('#events tr.now', (row) => Number(row.dataset.event))];
    assert.match(await page.locator('#target-count').innerText(), /^[1-9][\d,]* events$/);
    await page.locator('#next').click();
    await page.waitForFunction((n) => Number(document.querySelector('#events tr.now')?.dataset.event) > n, first[0]);
    await page.locator('#previous').click();
    await page.waitForFunction((n) => Number(document.querySelector('#events tr.now')?.dataset.event) === n, first[0]);
  }
  assert.deepEqual(page.trouble, []);
  await page.done();
});

test('a new search takes away what the one before found, and late answers do not bring it back', async () => {
  const page = await openView(small.address);
  const search = async (text) => {
    await page.fill('#text', text);
    await page.locator('#search button').click();
  };
  const held = [];
  await search('balance');
  await page.waitForFunction(() => document.querySelectorAll('#names button').length > 0);
  await page.route('**/names?*', (route) => held.push(route));
  await search('balance1');
  assert.equal(await page.locator('#names button').count(), 0);
  await search('no such name');
  while (held.length < 2) await page.waitForTimeout(10);
  await held[1].continue();
  await page.waitForFunction(() => document.getElementById('found').textContent === '0 found');
  const late = page.waitForResponse((answer) => answer.url().includes('balance1'));
  await held[0].continue();
  await (await late).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  assert.equal(await page.locator('#found').innerText(), '0 found');
  assert.deepEqual(page.trouble, []);
  await page.done();
});

test('pan and zoom: frames, as the browser traces them', async () => {
  const page = await openView(large.address);
  const { count, rate } = await frames(page, () => panAndZoom(page, 60));
  assert.ok(count > 30, `${count} frames`); // how many a second is measured where nothing else runs: bench/view
  assert.ok(rate > 5, `${rate} frames a second`);
  assert.deepEqual(page.trouble, []);
  await page.done();
});

test('the page has no accessibility violations', async () => {
  const page = await openView(small.address);
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
  await page.done();
});

/** A request as any program on the machine may send it: the status of the answer. */
const askAs = (address, headers = {}, method = 'GET') => new Promise((resolve, reject) => {
  request(address, { method, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  }).on('error', reject).end();
});

test('strangers are refused', async () => {
  const { address } = small;
  assert.equal(await askAs(`${address}info`), 200);
  assert.equal(await askAs(address.replace(/[0-9a-f]{32}/, '0'.repeat(32))), 403);
  assert.equal(await askAs(new URL('/', address)), 403);
  assert.equal(await askAs(`${address}info`, { Host: 'rebound.example' }), 403);
  assert.equal(await askAs(`${address}info`, { Origin: 'http://127.0.0.1:1' }), 403);
  assert.equal(await askAs(`${address}info`, { Origin: 'null' }), 403);
  assert.equal(await askAs(`${address}info`, { 'Sec-Fetch-Site': 'cross-site' }), 403);
  assert.equal(await askAs(`${address}info`, {}, 'POST'), 405);
  assert.equal(await askAs(`${address}nothing`), 404);
  assert.equal(await askAs(`${address}range?from=0&to=5&columns=1&lane=0`), 400);
  assert.equal(await askAs(`${address}range?from=1&to=11&columns=1&lane=0`), 400);
  assert.equal(await askAs(`${address}next?kind=variable&id=99&event=1&back=0`), 400);
  assert.equal(await askAs(`${address}info`, { 'X-Long': 'x'.repeat(9000) }), 431);
});

test('a page of another origin learns nothing, even with the token', async () => {
  const other = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<p>another page</p>')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const page = await open(`http://127.0.0.1:${other.address().port}/`);
  const outcome = await page.evaluate((url) => fetch(`${url}info`).then((r) => r.text(), (error) => `${error}`), small.address);
  assert.match(outcome, /Failed to fetch/);
  const opaque = await page.evaluate((url) => fetch(`${url}info`, { mode: 'no-cors' }).then((r) => r.type, (error) => `${error}`), small.address);
  assert.notEqual(opaque, 'basic');
  await page.done();
  other.close();
});

test('slow and broken requests do not keep others from being answered', async () => {
  const { port } = new URL(small.address);
  const idle = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'));
  await Promise.all(idle.map((socket) => new Promise((resolve) => { socket.on('connect', resolve).on('error', resolve); })));
  idle[0].write('GET / HT');
  idle[1].write('\0\0\0\r\n\r\n');
  assert.equal(await askAs(`${small.address}info`), 200);
  for (const socket of idle) socket.destroy();
});

test('ten million events: the first picture within two seconds, pan and zoom at 30 frames a second', { skip: !process.env.HEDDLE_TEST_LONG && 'only with make test-long' }, async () => {
  const trace = generate('huge.htr', 'bank', '10000000', '8', '1');
  const began = performance.now();
  const server = await serve(trace);
  const page = await openView(server.address);
  const first = performance.now() - began;
  assert.ok(first < 2000, `first picture after ${first} ms`);
  const { rate } = await frames(page, () => panAndZoom(page, 120));
  assert.ok(rate >= 30, `${rate} frames a second`);
  await settled(page);
  assert.deepEqual(page.trouble, []);
  await page.done();
  assert.equal(await server.end(), 0);
});
