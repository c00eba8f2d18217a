// Tables: rows of cells, numbers to the right. At phone width each row becomes a card.

import { el } from './build.js';

function cell(value, column) {
  const number = typeof value === 'number';
  const classes = [number || column.number ? 'number' : '', column.name ? 'name' : ''].join(' ').trim();
  const shown = number ? shown_number(value, column.digits) : value ?? '';
  return el('td', { class: classes || undefined, 'data-label': column.title || undefined }, shown);
}

/** A number as people read it. */
export function shown_number(value, digits = 0) {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A table: `columns` have a title, `rows` are lists of texts, numbers and elements. */
export function table(caption, columns, rows) {
  if (rows.length === 0) return el('p', { class: 'empty' }, `${caption}: none`);
  const head = columns.map(({ title, number }) => (title ? el('th', { scope: 'col', class: number ? 'number' : undefined }, title) : el('td')));
  const body = rows.map((row) => el('tr', {}, row.map((value, at) => cell(value, columns[at]))));
  return el('div', { class: 'scroll' },
    el('table', { class: 'stack' }, el('caption', {}, caption), el('thead', {}, el('tr', {}, head)), el('tbody', {}, body)));
}
