// What the tests of the page share: a browser, and reports made by the program.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const { HEDDLE, GENERATE, TRACES, CHROMIUM = '/usr/bin/chromium' } = process.env;

export const folder = mkdtempSync(join(tmpdir(), 'heddle-page-'));
export const inFolder = (name) => join(folder, name);
export const bundled = (name) => join(TRACES, name);

/** Runs a command of the program in the folder of the tests; findings are no failure. */
export function heddle(...args) {
  const { status, stderr } = spawnSync(HEDDLE, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 2 && status !== 0 && status !== 3) throw new Error(`heddle ${args.join(' ')}: ${stderr}`);
}

/** The page of a trace: of a file, or of text. Sources are looked for in the folder of the tests. */
export function makePage(name, trace, ...options) {
  const page = inFolder(`${name}.html`);
  let file = trace;
  if (trace.includes('\n')) {
    file = inFolder(`${name}.std`);
    writeFileSync(file, trace);
  }
  heddle('check', '--format=html', '-o', page, ...options, file);
  return page;
}

export function generate(name, ...shape) {
  const file = inFolder(name);
  execFileSync(GENERATE, [...shape, file]);
  return file;
}

let browser;

export async function start() {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export async function stop() {
  await browser?.close();
  rmSync(folder, { recursive: true });
}

/** Opens a page, of a file or a server, and notes what must not happen: errors, and requests for anything but the page itself or
 * what is below it on its server. */
export async function open(file, hash = '', options = {}) {
  const address = file.startsWith('http:') ? file : `file://${file}`;
  const isOurs = (url) => (file === address ? url.startsWith(address) : url.split('#')[0] === address);
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(`${error}`));
  page.on('request', (request) => isOurs(request.url()) || request.url() === 'data:,' || trouble.push(`request: ${request.url()}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(`${address}${hash}`);
  page.trouble = trouble;
  page.done = () => context.close();
  return page;
}
