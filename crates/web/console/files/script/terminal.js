// A 3270: the region keeps the screen and sends rows; keys go back over a WebSocket.

import { el, say } from './build.js';
import { ALONE, BAR, HELP, keyOf } from './keyboard.js';
import { Screen } from './screen.js';

const MODELS = [['2', '24 × 80'], ['3', '32 × 80'], ['4', '43 × 80'], ['5', '27 × 132']];
const KEYBOARD = {
  free: '', system: 'X SYSTEM', protected: 'X protected', numeric: 'X digits only', full: 'X field is full', character: 'X no such character',
};

/** Shows the page. */
export function show(main, { about, person }) {
  const screen = new Screen();
  const input = el('textarea', {
    class: 'keys-in', 'aria-label': '3270 keyboard', autocapitalize: 'off', autocomplete: 'off', autocorrect: 'off', spellcheck: 'false', rows: 1,
  });
  const lock = el('span', { id: 'lock' });
  const place = el('span', { id: 'place' });
  const model = el('select', { id: 'model', onchange: connect }, MODELS.map(([value, title]) => el('option', { value }, title)));
  const again = el('button', { type: 'button', id: 'connect', onclick: connect }, 'Connect again');
  const service = el('form', { class: 'card service', hidden: true, onsubmit: sendService });
  const serviceText = el('pre', { class: 'text' });
  const serviceLine = el('input', { 'aria-label': 'Line for the network', maxlength: 80 });
  service.append(el('h2', {}, 'The network’s service'), serviceText, el('div', { class: 'row' }, serviceLine, el('button', { type: 'submit' }, 'Send')));
  const frame = el('section', { class: 'screen-frame', 'aria-label': '3270' }, screen.element, input,
    el('div', { class: 'status' }, lock, place));
  const bar = el('div', { class: 'keybar', role: 'toolbar', 'aria-label': 'Keys' },
    BAR.map(([title, key]) => el('button', { type: 'button', onclick() { send({ key }); focus(); } }, title)));
  const help = el('details', {}, el('summary', {}, 'Keys'), el('dl', {}, HELP.flatMap(([key, does]) => [el('dt', {}, key), el('dd', {}, does)])));
  const paper = el('p', { class: 'only-print', 'aria-hidden': 'true' });
  const prints = el('button', { type: 'button', id: 'print', onclick: () => window.print() }, 'Print');
  main.append(el('div', { class: 'row between' }, el('label', {}, 'Screen', model), el('div', { class: 'row' }, prints, again)),
    paper, frame, service, bar, help, screen.heard, screen.where);

  /** The line above a screen on paper: where it comes from. */
  function head() {
    paper.textContent = [about.applid, screen.lu, person.default ? '' : person.user, new Date().toLocaleString()].filter((text) => text).join('  ');
  }

  let socket;
  let released = false;
  let alarms = 0;

  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const focus = () => input.focus({ preventScroll: true });

  function connect() {
    socket?.close();
    alarms = 0;
    lock.textContent = 'connecting';
    const url = new URL('/terminal', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.search = new URLSearchParams({ model: model.value });
    const own = new WebSocket(url);
    socket = own;
    own.addEventListener('message', ({ data }) => own === socket && take(JSON.parse(data)));
    own.addEventListener('close', ({ code, reason }) => {
      if (own !== socket) return;
      lock.textContent = `not connected${reason ? `: ${reason}` : ''}`;
      if (code === 4001) document.dispatchEvent(new Event('signed-off'));
    });
    focus();
  }

  function take(update) {
    if (typeof update.service === 'string') {
      serviceText.textContent += update.service;
      return;
    }
    screen.update(update);
    screen.lu = update.state.lu;
    const { state, columns } = update;
    lock.textContent = KEYBOARD[state.keyboard] + (state.insert ? ' INSERT' : '');
    place.textContent = `${state.lu ?? ''} ${Math.floor(state.cursor / columns) + 1}/${(state.cursor % columns) + 1}`.trim();
    if (service.hidden === state.service) {
      service.hidden = !state.service;
      if (state.service) serviceLine.focus();
      else focus();
    }
    if (state.alarms > alarms) {
      alarms = state.alarms;
      say('The alarm sounds.');
    }
  }

  function sendService(event) {
    event.preventDefault();
    send({ service: serviceLine.value });
    serviceLine.value = '';
  }

  /** Returns true if keys are the terminal's: nothing else of the page has the focus. */
  const isMine = () => document.activeElement === input || document.activeElement === document.body || document.activeElement === main;

  function down(event) {
    if (!isMine()) return;
    if (event.key === 'Tab' && released) return;
    const key = keyOf(event);
    if (!['Shift', 'Control', 'Alt'].includes(event.key)) released = event.key === 'Escape';
    alone = event.key === 'Control' ? event.code : undefined;
    if (!key) {
      if (event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey) focus();
      return;
    }
    event.preventDefault();
    flush();
    send({ key });
  }

  let alone;
  function up(event) {
    if (isMine() && event.key === 'Control' && alone === event.code && ALONE[alone]) {
      flush();
      send({ key: ALONE[alone] });
    }
    alone = undefined;
  }

  function flush() {
    if (input.value) send({ type: input.value });
    input.value = '';
  }

  function pasted(event) {
    if (!isMine()) return;
    event.preventDefault();
    const text = event.clipboardData.getData('text/plain').slice(0, 8000);
    if (text) send({ paste: text });
  }

  /** What was marked, without the blanks at the ends of its lines. */
  function copied(event) {
    const marked = getSelection();
    if (marked.isCollapsed || !screen.element.contains(marked.anchorNode) || !screen.element.contains(marked.focusNode)) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', marked.toString().split('\n').map((line) => line.trimEnd()).join('\n'));
  }

  function pointed(event) {
    if (!getSelection().isCollapsed) return;
    const cursor = screen.positionOf(event);
    if (cursor !== undefined) send({ cursor });
    focus();
  }

  input.addEventListener('input', (event) => { if (!event.isComposing) flush(); });
  input.addEventListener('compositionend', flush);
  input.addEventListener('focus', () => screen.element.classList.remove('away'));
  input.addEventListener('blur', () => screen.element.classList.add('away'));
  frame.addEventListener('click', pointed);
  document.addEventListener('keydown', down);
  document.addEventListener('keyup', up);
  document.addEventListener('paste', pasted);
  document.addEventListener('copy', copied);
  addEventListener('beforeprint', head);
  // The next frame: to change a size while sizes are looked at would make the browser look again.
  const fitting = new ResizeObserver(() => requestAnimationFrame(() => screen.fit()));
  fitting.observe(frame);
  connect();

  return () => {
    document.removeEventListener('keydown', down);
    document.removeEventListener('keyup', up);
    document.removeEventListener('paste', pasted);
    document.removeEventListener('copy', copied);
    removeEventListener('beforeprint', head);
    fitting.disconnect();
    const own = socket;
    socket = undefined;
    own?.close();
  };
}
