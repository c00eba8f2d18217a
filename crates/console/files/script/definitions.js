// Definitions of the texts: groups, lists, and each attribute.

import { get } from './ask.js';
import { el } from './build.js';
import { table } from './table.js';

/** Shows the page: `#/definitions/GROUP`. */
export function show(main, { rest }) {
  const list = el('section', { class: 'card' });
  const detail = el('section', { class: 'card', hidden: rest[0] === undefined });
  main.append(el('div', { class: rest[0] === undefined ? 'two alone' : 'two' }, list, detail));
  const fail = (place) => (refusal) => place.replaceChildren(el('p', { class: 'problem' }, refusal.message));
  const link = (name) => el('a', { href: `#/definitions/${encodeURIComponent(name)}` }, name);

  get('/api/groups').then(({ groups, lists }) => {
    list.replaceChildren(
      table('Groups', [{ title: 'Group', name: true }, { title: 'Definitions', number: true }], groups.map(([name, count]) => [link(name), count])),
      table('Lists', [{ title: 'List', name: true }, { title: 'Groups' }], lists.map(([name, within]) => [name, within.join(' ')])));
  }).catch(fail(list));

  if (rest[0] !== undefined) {
    get('/api/group', { name: rest[0] }).then(({ definitions }) => {
      const one = ({ type, name, attributes }) => el('details', {}, el('summary', {}, `${type} ${name}`),
        el('dl', {}, attributes.flatMap(([attribute, value]) => [el('dt', {}, attribute), el('dd', {}, value)])));
      detail.replaceChildren(el('h2', {}, rest[0]), ...definitions.map(one));
    }).catch(fail(detail));
  }
}
