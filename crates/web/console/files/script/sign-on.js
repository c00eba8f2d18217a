// Signing on: user and password, a new password where the old one has expired, or nobody.

import { post } from './ask.js';
import { el } from './build.js';

/** Shows the page; `certified`: the user of the browser's certificate. `done` is called with the person. */
export function show(main, { about, certified }, done) {
  const problem = el('p', { class: 'problem', role: 'alert' });
  const user = el('input', { name: 'user', autocomplete: 'username', autocapitalize: 'characters', spellcheck: 'false', maxlength: 8 });
  const password = el('input', { name: 'password', type: 'password', autocomplete: 'current-password', maxlength: 200 });
  const fresh = el('input', { name: 'new', type: 'password', autocomplete: 'new-password', maxlength: 200 });
  const renewal = el('label', { hidden: true }, 'New password', fresh);
  const button = el('button', { class: 'main', type: 'submit' }, 'Sign on');

  async function attempt(body) {
    problem.textContent = '';
    button.disabled = true;
    try {
      done((await post('/api/sign-on', body)).person);
    } catch (refusal) {
      problem.textContent = refusal.message;
      if (refusal.why === 'expired' || refusal.why === 'new') renewal.hidden = false;
      (renewal.hidden ? password : fresh).select();
    } finally {
      button.disabled = false;
    }
  }

  const form = el('form', {
    onsubmit(event) {
      event.preventDefault();
      if (user.value.trim() === '') return user.focus();
      const body = { user: user.value.trim(), password: password.value };
      if (!renewal.hidden && fresh.value) body.new_password = fresh.value;
      return attempt(body);
    },
  }, el('label', {}, 'User', user), el('label', {}, 'Password', password), renewal, problem, button);
  const owner = certified ? el('button', { type: 'button', class: 'main', id: 'certified', onclick: () => attempt({ certificate: true }) },
    `Sign on as ${certified.user} by certificate`) : null;
  const nobody = el('button', { type: 'button', class: 'plain', id: 'nobody', onclick: () => attempt({}) }, 'Go on without signing on');
  const hint = about.unpeopled
    ? el('p', { class: 'quiet' }, 'This region has no users yet: syncpoint user add DIR USERID --rights run,inquire,operate') : null;
  main.replaceChildren(el('section', { class: 'card sign-on', 'aria-label': 'Sign on' },
    el('img', { src: '/icon.svg', alt: '' }), el('div', {}, el('h1', {}, about.applid), el('p', { class: 'quiet' }, `Syncpoint ${about.version}`)),
    owner, form, hint, nobody));
  (owner ?? user).focus();
}
