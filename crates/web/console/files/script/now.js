// What the region does now: figures with their plots, tasks, transactions, waits, files, TCBs.

import { get, post } from './ask.js';
import { el, say, status, sure } from './build.js';
import { Between, Moment } from './figures.js';
import { plot } from './plot.js';
import { shown_number, table } from './table.js';

const EVERY_MS = 2000;
const MOMENTS = 60;

const number = (value, digits = 0) => (value === null ? '–' : shown_number(value, digits));
const rate = (title) => ({ title, number: true, digits: 1 });

const TILES = [
  { title: 'Tasks', value: (b) => b.now.one('tasks', ['running']), more: (b) => `of ${number(b.now.sum('tasks_max'))}` },
  { title: 'Wait to begin', value: (b) => b.now.one('tasks', ['queued']) },
  { title: 'Ended', value: (b) => b.rateOfAll('transactions'), more: () => 'a second', digits: 1 },
  { title: 'Units of work', value: (b) => b.rateOfAll('units_of_work'), more: () => 'a second', digits: 1 },
  { title: 'Processor', value: (b) => percent(b.rateOfAll('transaction_cpu_seconds')), more: () => '% of one', digits: 1 },
  { title: 'Log forced', value: (b) => b.rateOfAll('log_forces'), more: () => 'a second', digits: 1 },
];

const percent = (seconds) => (seconds === null ? null : seconds * 100);
const each = (all, count, unit) => (all === null || !count ? null : (all / count) * unit);
const byColumn = (at) => (a, b) => (b[at] ?? -1) - (a[at] ?? -1);

const VIEWS = {
  Transactions: (b) => table('Transactions that have ended', [
    { title: 'Name', name: true }, rate('Ended/s'), rate('Abends/s'), rate('CPU µs each'), rate('CPU %'), { title: 'Ended', number: true },
  ], b.now.resources('transactions').map((name) => {
    const [normal, abend] = ['normal', 'abend'].map((how) => b.rate('transactions', [name, how]));
    const ended = normal === null ? null : normal + abend;
    const cpu = b.rate('transaction_cpu_seconds', [name]);
    const all = b.now.one('transactions', [name, 'normal']) + b.now.one('transactions', [name, 'abend']);
    return [name, ended, abend, each(cpu, ended, 1e6), percent(cpu), all];
  }).sort(byColumn(5)).sort(byColumn(4))),
  Waits: (b) => table('What tasks have waited for', [
    { title: 'Waits for', name: true }, rate('Waits/s'), rate('ms/s'), { title: 'ms each', number: true, digits: 3 },
  ], b.now.resources('waits').map((name) => {
    const [count, seconds] = [b.rate('waits', [name]), b.rate('wait_seconds', [name])];
    return [name, count, seconds === null ? null : seconds * 1e3, each(seconds, count, 1e3)];
  }).sort(byColumn(2))),
  Files: (b) => table('Requests to files', [
    { title: 'File', name: true }, rate('Reads/s'), rate('Browses/s'), rate('Adds/s'), rate('Updates/s'), rate('Deletes/s'), { title: 'All', number: true },
  ], b.now.resources('file_requests').map((name) => {
    const kinds = ['read', 'browse', 'add', 'update', 'delete'];
    const all = kinds.reduce((sum, kind) => sum + b.now.one('file_requests', [name, kind]), 0);
    return [name, ...kinds.map((kind) => b.rate('file_requests', [name, kind])), all];
  }).sort(byColumn(6))),
  TCBs: (b) => table('TCBs', [
    { title: 'TCB', name: true }, rate('CPU %'), rate('Idle %'), rate('Dispatches/s'),
  ], b.now.resources('tcb_seconds').map((name) => [
    name, percent(b.rate('tcb_seconds', [name, 'cpu'])), percent(b.rate('tcb_seconds', [name, 'idle'])), b.rate('tcb_dispatches', [name]),
  ])),
};

/** Shows the page. */
export function show(main, { person }) {
  const state = { moments: [], history: TILES.map(() => []), view: 'Tasks', paused: false };
  const tiles = el('section', { class: 'tiles', 'aria-label': 'Figures' });
  const tabs = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
  const body = el('div', { id: 'view', role: 'tabpanel', tabindex: '-1' });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const pause = el('button', { type: 'button', 'aria-pressed': 'false', onclick: toggle }, 'Pause');
  main.append(problem, tiles, el('section', { class: 'card' }, el('div', { class: 'row between' }, tabs, pause), body));

  function toggle() {
    state.paused = !state.paused;
    pause.setAttribute('aria-pressed', String(state.paused));
  }

  function drawTabs() {
    const names = ['Tasks', ...Object.keys(VIEWS)];
    tabs.replaceChildren(...names.map((name) => el('button', {
      type: 'button', role: 'tab', 'aria-selected': String(name === state.view), 'aria-controls': 'view',
      onclick() { state.view = name; drawTabs(); drawView(); },
    }, name)));
  }

  function between() {
    return new Between(state.moments.at(-2), state.moments.at(-1));
  }

  function drawTiles(b) {
    tiles.replaceChildren(...TILES.map((tile, at) => {
      const value = tile.value(b);
      const history = state.history[at];
      history.push(value);
      if (history.length > MOMENTS) history.shift();
      const more = tile.more ? el('small', {}, tile.more(b)) : null;
      return el('div', { class: 'tile' }, el('h2', {}, tile.title),
        el('p', { class: 'value' }, number(value, value === null ? 0 : tile.digits ?? 0), more),
        plot(history, MOMENTS, `${tile.title} over the last two minutes`));
    }));
  }

  function drawView() {
    if (state.moments.length === 0) return;
    const focused = document.activeElement?.dataset?.focus;
    body.replaceChildren(state.view === 'Tasks' ? tasks() : VIEWS[state.view](between()));
    if (focused) body.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  }

  function tasks() {
    const rows = state.moments.at(-1).tasks.map((task) => [
      task.TASK, task.TRANSACTION, status(task.RUNSTATUS), task.USERID, task.FACILITY, task.PROGRAM, task.SUSPENDTYPE, task.SUSPENDVALUE,
      person.operates ? el('button', {
        type: 'button', class: 'danger', 'data-focus': task.TASK, onclick: () => purge(task),
      }, 'Purge', el('span', { class: 'sr' }, ` task ${task.TASK}`)) : '',
    ]);
    return table('Tasks', [
      { title: 'Task', name: true }, { title: 'Transaction', name: true }, { title: 'Status' }, { title: 'User' }, { title: 'Terminal' },
      { title: 'Program' }, { title: 'Waits for' }, { title: 'Which' }, { title: '' },
    ], rows);
  }

  async function purge(task) {
    if (!await sure(`Purge task ${task.TASK} (${task.TRANSACTION}) of ${task.USERID}? What it has not committed is backed out.`, 'Purge')) return;
    try {
      await post('/api/set', { of: 'TASK', name: task.TASK, values: [['PURGETYPE', 'PURGE']] });
      say(`Task ${task.TASK} is purged.`);
    } catch (refusal) {
      say(refusal.message);
    }
    await look();
  }

  async function look() {
    try {
      state.moments.push(new Moment(await get('/api/now')));
      state.moments.splice(0, state.moments.length - 2);
      problem.textContent = '';
    } catch (refusal) {
      problem.textContent = refusal.message;
      return;
    }
    drawTiles(between());
    drawView();
  }

  let timer;
  async function go() {
    if (!state.paused && !document.hidden) await look();
    if (timer !== null) timer = setTimeout(go, EVERY_MS);
  }
  drawTabs();
  go();
  return () => { clearTimeout(timer); timer = null; };
}
