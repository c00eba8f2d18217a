// Definitions of the texts: lists, groups, and what is in them.

import { get } from './ask.js';
import { el, sure } from './build.js';
import { open } from './definition.js';
import { button, edit, small, told } from './edit.js';
import { table } from './table.js';

/** The word in place of a type, for a definition that is not there yet. */
const NEW = 'new';

const hash = (...parts) => `#/definitions/${parts.map(encodeURIComponent).join('/')}`;
const link = (title, ...parts) => el('a', { href: hash(...parts) }, title);
const lock = (by) => (by ? el('span', { class: 'warn' }, `locked by ${by}`) : '');

/** Shows the page: `#/definitions/GROUP/TYPE/NAME`. */
export function show(main, { rest, person }) {
  const [group, type, name] = rest;
  const list = el('section', { class: 'card', 'aria-label': 'Groups and lists' });
  const detail = el('section', { class: 'card', 'aria-label': 'Definitions' });
  const fail = (place) => (refusal) => place.replaceChildren(el('p', { class: 'problem' }, refusal.message));
  let form;
  let gone = false;

  /** Links to what is above. */
  function path(last) {
    return el('nav', { class: 'path', 'aria-label': 'Place' }, el('a', { href: '#/definitions' }, 'Definitions'),
      group && last !== group ? link(group, group) : null, el('span', { 'aria-current': 'page' }, last));
  }

  async function overview() {
    const { groups, lists } = await get('/api/groups');
    list.replaceChildren(
      person.operates ? el('div', { class: 'row' }, link('New definition', group ?? '', NEW)) : '',
      table('Groups', [{ title: 'Group', name: true }, { title: 'Definitions', number: true }, { title: 'Lock' }],
        groups.map(([one, count, by]) => [link(one, one), count, lock(by)])),
      table('Lists', [{ title: 'List', name: true }, { title: 'Groups' }, { title: 'Lock' }, { title: '' }],
        lists.map(([one, within, by]) => [one, within.join(' '), lock(by), person.operates ? listActions(one, by) : ''])));
  }

  function listActions(one, by) {
    const run = async (verb) => { told(await edit({ verb, list: one })); await overview(); };
    const of = el('span', { class: 'sr' }, ` list ${one}`);
    const install = button('Install', () => run('INSTALL'));
    install.append(of);
    const locks = by ? button('Unlock', () => run('UNLOCK')) : button('Lock', () => run('LOCK'));
    locks.append(of.cloneNode(true));
    return el('div', { class: 'row' }, install, locks);
  }

  function groupActions({ version, lock: by, lists }) {
    const run = async (verb, more = {}) => { told(await edit({ verb, group, ...more })); await Promise.all([overview(), shown()]); };
    return el('div', { class: 'row' },
      button('Install', () => run('INSTALL')),
      by ? button('Unlock', () => run('UNLOCK')) : button('Lock', () => run('LOCK')),
      small('Copy to…', [['to', 'To group']], async ({ to }) => { await run('COPY', { to }); location.hash = hash(to.toUpperCase()); }),
      small('Add to list…', [['list', 'List']], ({ list: to }) => run('ADD', { list: to })),
      lists.map((one) => button(`Remove from ${one}`, () => run('REMOVE', { list: one }))),
      button('Delete group', async () => {
        if (!await sure(`Delete group ${group} with all of its definitions? What is installed stays until it is discarded.`, 'Delete')) return;
        try {
          told(await edit({ verb: 'DELETE', group, version }));
        } catch (refusal) {
          if (refusal.why === 'changed') await shown();
          throw refusal;
        }
        location.hash = '#/definitions';
      }, true));
  }

  async function shown() {
    const found = await get('/api/group', { name: group }).catch((refusal) => {
      if (refusal.status !== 404) throw refusal;
    });
    if (!found) {
      detail.replaceChildren(el('h2', {}, group), el('p', { class: 'empty' }, 'This group has no definitions.'));
      return;
    }
    const rows = found.definitions.map((one) => {
      const description = one.attributes.find(([attribute]) => attribute === 'DESCRIPTION');
      return [link(one.name, group, one.type, one.name), one.type, description?.[1] ?? ''];
    });
    detail.replaceChildren(el('h2', {}, group), lock(found.lock), person.operates ? groupActions(found) : '',
      table('Definitions', [{ title: 'Name', name: true }, { title: 'Type' }, { title: 'Description' }], rows));
  }

  async function one() {
    const [{ definitions }, { types }] = await Promise.all([
      type === NEW ? { definitions: [] } : get('/api/group', { name: group }), get('/api/groups')]);
    const base = definitions.find((own) => own.type === type && own.name === name);
    if (type !== NEW && !base) throw new Error(`${type} ${name} is not in group ${group}.`);
    const title = base ? `${type} ${name}` : 'New definition';
    const place = el('div', {});
    detail.replaceChildren(path(title), el('h2', {}, title), place);
    const opened = await open(place, { person, types, base, group, name, type: base ? type : name ?? types.find((own) => own === 'PROGRAM') });
    if (gone) opened?.keep();
    else form = opened;
  }

  if (type === undefined) {
    main.append(el('div', { class: group === undefined ? 'two alone' : 'two' }, list, group === undefined ? null : detail));
    overview().catch(fail(list));
    if (group !== undefined) shown().catch(fail(detail));
  } else {
    main.append(detail);
    if (type === NEW && !person.operates) fail(detail)({ message: 'You may not do this.' });
    else one().catch(fail(detail));
  }
  const leave = (keeps) => {
    gone = true;
    if (keeps) form?.keep();
  };
  return Object.assign(leave, { unsaved: () => form?.unsaved ?? false });
}
