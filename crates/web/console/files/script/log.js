// The region's log as it goes on.

import { get } from './ask.js';
import { el } from './build.js';

const EVERY_MS = 2000;
const LINES_MAX = 2000;

function look(line) {
  if (/\bERROR\b/.test(line)) return 'bad';
  if (/\bWARN\b/.test(line)) return 'warn';
  return /\b(DEBUG|TRACE)\b/.test(line) ? 'quiet' : undefined;
}

/** Shows the page. */
export function show(main) {
  const lines = el('div', { class: 'log', tabindex: '0', role: 'log', 'aria-label': 'Log' });
  const filter = el('input', { type: 'search', placeholder: 'words', oninput: sift });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const grave = el('input', { type: 'checkbox', onchange: sift });
  main.append(el('div', { class: 'row' }, el('label', {}, 'Only lines with', filter), el('label', { class: 'check' }, 'Warnings and errors only', grave)),
    problem, el('section', { class: 'card' }, lines));
  let last = 0;
  let timer;

  const hides = (line) => (grave.checked && !['bad', 'warn'].includes(line.className))
    || !line.textContent.toLowerCase().includes(filter.value.toLowerCase());

  function sift() {
    for (const line of lines.children) line.hidden = hides(line);
  }

  async function go() {
    try {
      const found = document.hidden ? { lines: [], last } : await get('/api/log', { after: last });
      const atEnd = lines.scrollTop + lines.clientHeight >= lines.scrollHeight - 8;
      last = found.last;
      for (const text of found.lines) {
        const line = el('div', { class: look(text) }, text);
        line.hidden = hides(line);
        lines.append(line);
      }
      while (lines.childElementCount > LINES_MAX) lines.firstElementChild.remove();
      if (atEnd) lines.scrollTop = lines.scrollHeight;
      problem.textContent = '';
    } catch (refusal) {
      problem.textContent = refusal.message;
    }
    if (timer !== null) timer = setTimeout(go, EVERY_MS);
  }
  go();
  return () => { clearTimeout(timer); timer = null; };
}
