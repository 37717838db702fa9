// Lines of source as coloured pieces of text: never as HTML.
import hljs from 'highlight.js/lib/core';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import java from 'highlight.js/lib/languages/java';

hljs.registerLanguage('c', c);
hljs.registerLanguage('cpp', cpp);
hljs.registerLanguage('java', java);

/** [[{scope, text}, …], …], one array a line. */
function colour(text, language) {
  const lines = [[]];
  const add = (piece, scope) =>
    piece.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines[lines.length - 1].push({ scope, text: part });
    });
  const walk = (node, scope) => {
    for (const child of node.children)
      if (typeof child === 'string') add(child, scope);
      else walk(child, child.scope ? child.scope.split('.')[0] : scope);
  };
  try {
    walk(hljs.highlight(text, { language, ignoreIllegals: true })._emitter.rootNode, '');
  } catch {
    lines.splice(0, lines.length, []);
    add(text, '');
  }
  return lines;
}

const coloured = new WeakMap(); // file → Map of line → pieces

function colourFile(file) {
  const done = new Map();
  let first = 0;
  let stretch = [];
  const flush = () => {
    if (stretch.length > 0) colour(stretch.join('\n'), file.language).forEach((pieces, i) => done.set(first + i, pieces));
    stretch = [];
  };
  for (const [line, text] of file.lines) {
    if (line !== first + stretch.length) {
      flush();
      first = line;
    }
    stretch.push(text);
  }
  flush();
  coloured.set(file, done);
  return done;
}

/** The pieces of a line of a file, or undefined where the page does not have it. */
export function piecesOf(file, line) {
  if (!file || !file.language) return undefined;
  return (coloured.get(file) || colourFile(file)).get(line);
}
