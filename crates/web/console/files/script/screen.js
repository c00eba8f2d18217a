// The screen of a 3270: rows of runs, a cursor, and a text of it for those who hear it.

import { el } from './build.js';

const FLAGS = ['H', 'E', 'U', 'K', 'R'];
const ROW = 1.28;

function classes(look) {
  const [own, behind] = look.split('/');
  return [`c-${own[0]}`, ...FLAGS.filter((flag) => own.includes(flag)).map((flag) => `f-${flag}`), behind ? `b-${behind}` : ''].join(' ').trim();
}

/** A screen. */
export class Screen {
  constructor() {
    this.cursor = el('div', { class: 'cursor', 'aria-hidden': 'true' });
    this.rows = el('div', { role: 'group', 'aria-label': '3270 screen' });
    this.element = el('div', { class: 'screen' }, this.rows, this.cursor);
    this.heard = el('div', { class: 'sr', 'aria-live': 'polite', 'aria-atomic': 'true' });
    this.where = el('div', { class: 'sr', id: 'where', role: 'status' });
    this.size = [0, 0];
    this.writes = 0;
  }

  /** Takes an update of the region. */
  update({ rows, columns, changed, state }) {
    if (rows !== this.size[0] || columns !== this.size[1]) {
      this.size = [rows, columns];
      this.element.style.setProperty('--columns', columns);
      this.rows.replaceChildren(...Array.from({ length: rows }, () => el('div', { class: 'line' })));
      this.fit();
    }
    for (const [at, runs] of changed) {
      this.rows.children[at].replaceChildren(...runs.map(([text, look]) => el('span', { class: classes(look) }, text)));
    }
    this.say(Math.floor(state.cursor / columns), state.cursor % columns);
    const style = this.cursor.style;
    style.setProperty('--row', Math.floor(state.cursor / columns));
    style.setProperty('--column', state.cursor % columns);
    this.cursor.classList.toggle('insert', state.insert);
    if (state.writes !== this.writes) {
      this.writes = state.writes;
      this.heard.textContent = changed.map(([, runs]) => runs.map(([text]) => text).join('').trim()).filter((text) => text).join('\n');
    }
  }

  /** Says into which field the cursor has come: what stands before it, and its row. */
  say(row, column) {
    let label = '';
    let entry = false;
    let end = 0;
    for (const run of this.rows.children[row]?.children ?? []) {
      entry = run.classList.contains('f-E');
      end += run.textContent.length;
      if (end > column) break;
      if (!entry && run.textContent.trim()) label = run.textContent.trim();
    }
    const text = `${label ? `${label}, ` : ''}${entry ? 'field' : 'no field'}, row ${row + 1}`;
    if (text !== this.where.textContent) this.where.textContent = text;
  }

  /** Its text as people read it. */
  text() {
    return [...this.rows.children].map((row) => row.textContent.trimEnd()).join('\n').trimEnd();
  }

  /** The position below the pointer; nothing if it is beside the screen. */
  positionOf({ clientX, clientY }) {
    const { left, top, width, height } = this.rows.getBoundingClientRect();
    const [rows, columns] = this.size;
    const row = Math.floor(((clientY - top) / height) * rows);
    const column = Math.floor(((clientX - left) / width) * columns);
    return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : undefined;
  }

  /** Makes the letters as large as its place allows, and not too small to read. */
  fit() {
    const place = this.element.parentElement;
    if (!place || this.size[1] === 0) return;
    this.element.style.fontSize = '100px';
    const probe = el('span', {}, 'M'.repeat(20));
    this.element.append(probe);
    const letter = probe.getBoundingClientRect().width / 20 / 100;
    probe.remove();
    const wide = (place.clientWidth - 28) / (letter * this.size[1]);
    const high = Math.max(260, innerHeight - place.getBoundingClientRect().top - scrollY - 150) / (ROW * this.size[0]);
    this.element.style.fontSize = `${Math.max(11, Math.min(wide, high, 22)).toFixed(2)}px`;
  }
}
