// Builds a page into one file that the program embeds: dist/report.html (src/report/html/html_template.c) or, with
// HEDDLE_PAGE=view, dist/view.html (src/view/view_page.c).
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const PAGES = {
  report: { source: 'index.html', holes: 1, policy: '' },
  view: { source: 'view.html', holes: 0, policy: "connect-src 'self'; img-src data:; " },
};
const name = process.env.HEDDLE_PAGE || 'report';
const { source, holes, policy: more } = PAGES[name];

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

// The page may run the one script and use the one style sheet it was built with, by their hashes, and load nothing; that of
// `heddle view` asks the server that it comes from.
function sealPage() {
  let folder;
  return {
    name: 'seal-page',
    enforce: 'post',
    configResolved: (config) => {
      folder = config.build.outDir;
    },
    closeBundle() {
      const built = join(folder, source);
      const page = readFileSync(built, 'utf8').replace(/\r/g, '');
      const [, script] = page.match(/<script type="module"[^>]*>([\s\S]*?)<\/script>/);
      const [, style] = page.match(/<style[^>]*>([\s\S]*?)<\/style>/);
      const policy =
        `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ${more}` +
        `base-uri 'none'; form-action 'none'`;
      // The script needs the elements before it: it goes to the end, as a plain one, which file: pages may run.
      const sealed = page
        .replace(/<script type="module"[^>]*>[\s\S]*?<\/script>\s*/, '')
        .replace(/<style[^>]*>/, '<style>')
        .replace('<meta charset="utf-8" />', () => `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace('</body>', () => `<script>${script}</script>\n  </body>`);
      if (!script || !style) throw new Error('script or style is missing');
      if (sealed.split('@HEDDLE_REPORT@').length !== holes + 1) throw new Error('the page must have one hole for the report');
      writeFileSync(built, sealed);
      renameSync(built, join(folder, `${name}.html`));
    },
  };
}

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    target: 'es2020',
    cssTarget: 'chrome100',
    outDir: process.env.HEDDLE_PAGE_OUT || 'dist',
    emptyOutDir: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: source, output: { format: 'iife' } },
  },
  plugins: [viteSingleFile(), sealPage()],
});
