// A printer: the region sends paper over a WebSocket; the browser shows it and prints it.

import { el } from './build.js';

/** Sheets that stay on the page: the oldest ones go. */
const SHEETS_MAX = 200;

/** Shows the page. */
export function show(main, { about, person }) {
  const lu = el('input', {
    id: 'lu', name: 'lu', maxlength: 8, size: 9, pattern: '[A-Za-z0-9]{1,8}', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false',
  });
  const state = el('p', { id: 'printer', class: 'only-screen', role: 'status' }, 'not connected');
  const each = el('input', { type: 'checkbox', id: 'each' });
  const paper = el('section', { class: 'paper', role: 'log', 'aria-label': 'Paper', tabindex: 0 });
  const head = el('p', { class: 'only-print', 'aria-hidden': 'true' });
  const form = el('form', { class: 'row', onsubmit: connect },
    el('label', {}, 'Network name', lu), el('button', { type: 'submit', id: 'connect' }, 'Connect'));
  const actions = el('div', { class: 'row between' },
    el('label', {}, each, 'Print each job'),
    el('div', { class: 'row' },
      el('button', { type: 'button', id: 'print', onclick: printAll }, 'Print'),
      el('button', { type: 'button', id: 'tear', onclick: () => paper.replaceChildren() }, 'Tear off')));
  main.append(form, state, actions, head, paper);

  let socket;
  let sheet;

  function connect(event) {
    event?.preventDefault();
    socket?.close();
    sheet = undefined;
    state.textContent = 'connecting';
    const url = new URL('/terminal', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.search = new URLSearchParams(lu.value ? { kind: 'printer', lu: lu.value } : { kind: 'printer' });
    const own = new WebSocket(url);
    socket = own;
    own.addEventListener('message', ({ data }) => own === socket && take(JSON.parse(data)));
    own.addEventListener('close', ({ code, reason }) => {
      if (own !== socket) return;
      state.textContent = `not connected${reason ? `: ${reason}` : ''}`;
      if (code === 4001) document.dispatchEvent(new Event('signed-off'));
    });
  }

  function take(message) {
    if (message.lu) state.textContent = `${message.lu} is connected`;
    for (const [kind, text] of message.paper ?? []) {
      if (kind === 'line') line(text);
      if (kind === 'feed') sheet = undefined;
      if (kind === 'job') done();
    }
  }

  function line(text) {
    if (!sheet) {
      sheet = el('pre', { class: 'sheet' });
      paper.append(sheet);
      while (paper.childElementCount > SHEETS_MAX) paper.firstElementChild.remove();
    }
    sheet.append(`${text}\n`);
    paper.scrollTop = paper.scrollHeight;
  }

  function done() {
    sheet = undefined;
    if (!each.checked) return;
    window.print();
    for (const old of paper.children) old.classList.add('printed');
  }

  /** The whole paper, also what was printed before. */
  function printAll() {
    for (const old of paper.children) old.classList.remove('printed');
    window.print();
  }

  /** The line above what is on paper: where it comes from. */
  function names() {
    const printer = state.textContent.split(' ')[0];
    head.textContent = [about.applid, printer, person.default ? '' : person.user, new Date().toLocaleString()].filter((text) => text).join('  ');
  }

  addEventListener('beforeprint', names);
  return () => {
    removeEventListener('beforeprint', names);
    const own = socket;
    socket = undefined;
    own?.close();
  };
}
