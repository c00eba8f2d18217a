// The auxiliary trace: the calls of each traced task, or of one, as a tree with their times.

import { get } from './ask.js';
import { el } from './build.js';

/** Tasks of the text: each begins with a line of its own. */
const HEAD = /^(?=Task \d+)/m;

function task(text) {
  const [head, ...lines] = text.trimEnd().split('\n');
  return el('details', { open: true }, el('summary', {}, head), el('pre', { class: 'text' }, lines.join('\n')));
}

/** Shows the page: `#/trace/TASK`. */
export function show(main, { rest }) {
  const number = el('input', { type: 'number', min: 1, value: rest[0] ?? '', 'aria-label': 'Task' });
  const form = el('form', {
    class: 'row',
    onsubmit(event) {
      event.preventDefault();
      location.hash = number.value ? `#/trace/${number.value}` : '#/trace';
    },
  }, el('label', {}, 'Task', number), el('button', { type: 'submit' }, 'Show'));
  const place = el('section', { class: 'card' }, el('p', { class: 'quiet' }, 'One moment …'));
  main.append(form, place);
  get('/api/trace', rest[0] ? { task: rest[0] } : {}).then(({ text }) => {
    const tasks = text.split(HEAD).filter((part) => part.trim());
    const none = el('p', { class: 'empty' }, 'The trace has no entries of it. The auxiliary trace is started by CETR, or by AUXTR in [sit].');
    place.replaceChildren(...(tasks.length ? tasks.map(task) : [none]));
  }).catch((refusal) => place.replaceChildren(el('p', { class: 'problem' }, refusal.message)));
}
