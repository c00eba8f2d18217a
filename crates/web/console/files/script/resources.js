// Resources of every type that the region has: a list, one in full, and what may be done to it.

import { get } from './ask.js';
import { el, say, status } from './build.js';
import { table } from './table.js';
import { actions } from './actions.js';

const PAGE = 100;
const COLUMNS = 5;
/** Options that say most of a resource, whatever its type. */
const FIRST = ['ENABLESTATUS', 'OPENSTATUS', 'STATUS', 'RUNSTATUS', 'SERVSTATUS', 'CONNSTATUS', 'AVAILSTATUS', 'STATE', 'PROGRAM', 'DSNAME',
  'TRANSACTION', 'USERID', 'LANGUAGE', 'TYPE', 'PATH', 'PORT', 'NUMITEMS', 'USECOUNT', 'RESCOUNT'];

/** Shows the page: `#/resources/TYPE/NAME`. */
export function show(main, { rest }) {
  const state = { types: [], of: rest[0] || 'TRANSACTION', name: '', from: 0, chosen: rest[1] };
  const types = el('select', { id: 'type', onchange: () => go(types.value) });
  const filter = el('input', { type: 'search', id: 'filter', placeholder: 'BK*', spellcheck: 'false', oninput: later });
  const list = el('div', {});
  const detail = el('aside', { class: 'card', 'aria-label': 'Resource', hidden: true });
  const both = el('div', { class: 'two alone' }, el('section', { class: 'card' }, list), detail);
  main.append(el('div', { class: 'row' }, el('label', {}, 'Type', types), el('label', {}, 'Name', filter)), both);

  let timer;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => { state.name = filter.value.trim(); state.from = 0; look(); }, 250);
  }

  function go(of) {
    location.hash = `#/resources/${encodeURIComponent(of)}`;
  }

  const type = () => state.types.find((one) => one.name === state.of);

  function columns() {
    const known = type().options;
    const settable = type().settings.map((setting) => setting.option);
    const wanted = [...FIRST.filter((option) => known.includes(option)), ...settable.filter((option) => known.includes(option)), ...known];
    return [...new Set(wanted)].filter((option) => option !== type().key).slice(0, COLUMNS);
  }

  async function look() {
    let found;
    try {
      found = await get('/api/resources', { of: state.of, name: state.name, from: state.from, count: PAGE });
    } catch (refusal) {
      list.replaceChildren(el('p', { class: 'problem' }, refusal.message));
      return;
    }
    const shown = columns();
    const rows = found.resources.map((one) => [
      el('button', { type: 'button', class: 'link', onclick: () => choose(one) }, one.name || state.of),
      ...shown.map((option) => status(one.values[option] ?? '')),
    ]);
    const titles = [{ title: type().key || state.of, name: true }, ...shown.map((option) => ({ title: option }))];
    const all = found.total;
    const caption = all > rows.length ? `${state.of}: ${state.from + 1} to ${state.from + rows.length} of ${all}` : `${state.of}: ${all}`;
    list.replaceChildren(table(caption, titles, rows), turner(all));
    const chosen = found.resources.find((one) => one.name === state.chosen);
    if (chosen) choose(chosen);
    else if (type().single && found.resources.length === 1) choose(found.resources[0]);
  }

  function turner(all) {
    if (all <= PAGE) return '';
    const turn = (by) => () => { state.from = Math.max(0, state.from + by); look(); };
    return el('div', { class: 'row end' },
      el('button', { type: 'button', disabled: state.from === 0, onclick: turn(-PAGE) }, 'Back'),
      el('button', { type: 'button', disabled: state.from + PAGE >= all, onclick: turn(PAGE) }, 'On'));
  }

  function choose(one) {
    state.chosen = one.name;
    both.classList.remove('alone');
    detail.hidden = false;
    const pairs = Object.entries(one.values).flatMap(([option, value]) => [el('dt', {}, option), el('dd', {}, status(value))]);
    const done = async (text) => { say(text); await look(); };
    detail.replaceChildren(
      el('div', { class: 'row between' }, el('h2', {}, one.name || state.of),
        el('button', { type: 'button', class: 'plain', onclick: close }, 'Close')),
      actions(type(), one, done), el('dl', {}, pairs));
  }

  function close() {
    state.chosen = undefined;
    detail.hidden = true;
    both.classList.add('alone');
  }

  (async () => {
    try {
      state.types = (await get('/api/types')).types;
    } catch (refusal) {
      list.replaceChildren(el('p', { class: 'problem' }, refusal.message));
      return;
    }
    if (!type()) state.of = state.types[0]?.name;
    if (!type()) return;
    types.replaceChildren(...state.types.map((one) => el('option', { value: one.name, selected: one.name === state.of }, one.name)));
    await look();
  })();
  return () => clearTimeout(timer);
}
