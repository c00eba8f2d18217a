// What may be done to a resource: each value of SET that its type takes, and DISCARD.

import { post } from './ask.js';
import { el, say, sure } from './build.js';

/** Values that take something away from those who use it. */
const HARSH = ['CLOSED', 'DISABLED', 'PURGE', 'FORCEPURGE', 'KILL', 'RELEASED', 'OUTSERVICE', 'NOTCONNECTED', 'IMMCLOSE', 'FORCECLOSE'];

/** The actions for a resource; `done` is called with what was done. */
export function actions(type, one, done) {
  const whole = `${type.name}${one.name ? `(${one.name})` : ''}`;

  async function tell(work, what) {
    try {
      await work();
      await done(what);
    } catch (refusal) {
      say(refusal.message);
    }
  }

  const set = (option, value) => tell(
    () => post('/api/set', { of: type.name, name: one.name, values: [[option, value]] }), `${whole}: ${option} ${value}`);

  function choice(setting, value) {
    const now = one.values[setting.option] === value;
    const harsh = HARSH.includes(value);
    return el('button', {
      type: 'button', class: harsh ? 'danger' : undefined, 'aria-pressed': now ? 'true' : undefined, disabled: now,
      async onclick() {
        if (!harsh || await sure(`SET ${whole} ${setting.option}(${value})?`, value)) await set(setting.option, value);
      },
    }, value);
  }

  function entry(setting) {
    const [low, high] = setting.number ?? [];
    const input = el('input', {
      type: setting.number ? 'number' : 'text', min: low, max: high, value: one.values[setting.option] ?? '', 'aria-label': setting.option,
    });
    return el('form', {
      class: 'row',
      onsubmit(event) { event.preventDefault(); set(setting.option, input.value); },
    }, input, el('button', { type: 'submit' }, 'Set'));
  }

  const group = (setting) => el('div', { class: 'action' }, el('h3', {}, setting.option),
    setting.choices ? el('div', { class: 'row' }, setting.choices.map((value) => choice(setting, value))) : entry(setting));
  const discard = type.discards ? el('div', { class: 'action' }, el('button', {
    type: 'button', class: 'danger',
    async onclick() {
      if (await sure(`DISCARD ${whole}? The region forgets it until it is installed again.`, 'Discard')) {
        await tell(() => post('/api/discard', { of: type.name, name: one.name }), `${whole} is discarded.`);
      }
    },
  }, 'Discard')) : null;
  return el('div', { class: 'actions' }, type.settings.filter((setting) => !setting.how).map(group), discard);
}
