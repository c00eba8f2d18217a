// Dumps of tasks that have ended with an abend: a list, and the text of one with its source lines marked.

import { get } from './ask.js';
import { el } from './build.js';
import { shown_number, table } from './table.js';

const SOURCE = /(\S+\.(?:cbl|cob|cpy|sqb) line \d+)/i;

function marked(text) {
  const pieces = text.split(SOURCE);
  return pieces.map((piece, at) => (at % 2 ? el('span', { class: 'source' }, piece) : piece));
}

/** Shows the page: `#/dumps/FILE`. */
export function show(main, { rest }) {
  const place = el('section', { class: 'card' }, el('p', { class: 'quiet' }, 'One moment …'));
  main.append(place);
  const fail = (refusal) => place.replaceChildren(el('p', { class: 'problem' }, refusal.message));
  if (rest[0] === undefined) {
    get('/api/dumps').then(({ dumps }) => {
      const link = (name) => el('a', { href: `#/dumps/${encodeURIComponent(name)}` }, name);
      place.replaceChildren(table('Dumps, the latest first', [{ title: 'Dump', name: true }, { title: 'When' }, { title: 'Bytes', number: true }, { title: 'What' }],
        dumps.map((dump) => [link(dump.name), new Date(dump.at * 1000).toLocaleString(), shown_number(dump.bytes), dump.title])));
    }).catch(fail);
  } else {
    get('/api/dump', { name: rest[0] }).then(({ text }) => {
      place.replaceChildren(el('div', { class: 'row between' }, el('h2', {}, rest[0]), el('a', { href: '#/dumps' }, 'All dumps')),
        el('pre', { class: 'text' }, marked(text)));
    }).catch(fail);
  }
}
