// Builds the page into one file, dist/report.html, that the program embeds (src/report/html/html_template.c).
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

// The page may run the one script and use the one style sheet it was built with, by their hashes, and load nothing.
function sealPage() {
  let folder;
  return {
    name: 'seal-page',
    enforce: 'post',
    configResolved: (config) => {
      folder = config.build.outDir;
    },
    closeBundle() {
      const built = join(folder, 'index.html');
      const page = readFileSync(built, 'utf8').replace(/\r/g, '');
      const [, script] = page.match(/<script type="module"[^>]*>([\s\S]*?)<\/script>/);
      const [, style] = page.match(/<style[^>]*>([\s\S]*?)<\/style>/);
      const policy =
        `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
        `base-uri 'none'; form-action 'none'`;
      // The script needs the elements before it: it goes to the end, as a plain one, which file: pages may run.
      const sealed = page
        .replace(/<script type="module"[^>]*>[\s\S]*?<\/script>\s*/, '')
        .replace(/<style[^>]*>/, '<style>')
        .replace('<meta charset="utf-8" />', () => `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace('</body>', () => `<script>${script}</script>\n  </body>`);
      if (!script || !style) throw new Error('script or style is missing');
      if (sealed.split('@HEDDLE_REPORT@').length !== 2) throw new Error('the page must have one hole for the report');
      writeFileSync(built, sealed);
      renameSync(built, join(folder, 'report.html'));
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
    rollupOptions: { output: { format: 'iife' } },
  },
  plugins: [viteSingleFile(), sealPage()],
});
