// Commands for definitions, and the small forms that ask for what they need.

import { post } from './ask.js';
import { el, say } from './build.js';

/** Has the region carry a command out: its answer. */
export const edit = (parts) => post('/api/definition', parts);

/** Says what came of a command. */
export function told({ result, messages }) {
  say([result, ...messages].join(' · '));
}

/** The mistakes of a refusal: one line for each part that has no field of its own. */
export function lines(refusal, has = () => false) {
  const parts = (refusal.body?.parts ?? []).filter(([part]) => !has(part));
  return [refusal.message, ...parts.map(([part, text]) => `${part}: ${text}`)].join('\n');
}

let count = 0;

/** A form that a button opens: `inputs` are names of parts and their titles; `run` is called with what was typed. */
export function small(title, inputs, run) {
  const problem = el('p', { class: 'problem lines', role: 'alert' });
  const typed = inputs.map(([part, label, value]) => {
    count += 1;
    return [part, label, el('input', { id: `small-${count}`, spellcheck: 'false', autocapitalize: 'characters', value: value ?? '' })];
  });
  const form = el('form', {
    async onsubmit(event) {
      event.preventDefault();
      problem.textContent = '';
      try {
        await run(Object.fromEntries(typed.map(([part, , input]) => [part, input.value.trim()])));
      } catch (refusal) {
        problem.textContent = lines(refusal);
        typed[0][2].focus();
      }
    },
  }, typed.map(([, label, input]) => el('label', { for: input.id }, label, input)),
  el('button', { type: 'submit' }, title.replace('…', '')), problem);
  return el('details', { class: 'small' }, el('summary', {}, title), form);
}

/** A button that does something at once; what is refused stands above its card until the next try. */
export function button(title, run, harsh) {
  const own = el('button', {
    type: 'button', class: harsh ? 'danger' : undefined,
    async onclick() {
      const card = own.closest('.card');
      card.querySelector(':scope > .refused')?.remove();
      own.disabled = true;
      try {
        await run();
      } catch (refusal) {
        card.prepend(el('p', { class: 'problem lines refused', role: 'alert' }, lines(refusal)));
      } finally {
        own.disabled = false;
      }
    },
  }, title);
  return own;
}
