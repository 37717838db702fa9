// Pictures of a report and of heddle view for the documentation (tools/make-screenshots).
// usage: node screenshots.js REPORT.html ADDRESS FOLDER
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [report, address, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

async function picture(name, { hash = '', scheme = 'light', width = 1240, height, keys = [] }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  await page.goto(`file://${report}${hash}`);
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

await picture('overview', { height: 640 });
await picture('finding', { hash: '#N1', height: 960 });
await picture('stepping', { hash: '#N1', height: 960, scheme: 'dark', keys: ['ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowUp'] });

async function viewPicture(name, act) {
  const page = await browser.newPage({ viewport: { width: 1040, height: 440 } });
  const settled = () => page.waitForFunction(() => document.body.dataset.settled === 'yes');
  await page.goto(address);
  await settled();
  await act(page);
  await settled();
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

await viewPicture('view', async () => {});
await viewPicture('view-events', async (page) => {
  await page.fill('#event', '500000');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  await page.locator('#in').click();
});
await browser.close();
