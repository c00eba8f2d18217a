// The frame: who is signed on, which page is shown.

import { get, post } from './ask.js';
import { el, say, sure } from './build.js';
import { show as signOn } from './sign-on.js';
import { show as now } from './now.js';
import { show as resources } from './resources.js';
import { show as definitions } from './definitions.js';
import { show as log } from './log.js';
import { show as dumps } from './dumps.js';
import { show as trace } from './trace.js';
import { show as terminal } from './terminal.js';
import { show as printer } from './printer.js';

const PAGES = [
  { path: 'now', title: 'Now', show: now, needs: 'inquires' },
  { path: 'resources', title: 'Resources', show: resources, needs: 'inquires' },
  { path: 'definitions', title: 'Definitions', show: definitions, needs: 'inquires' },
  { path: 'log', title: 'Log', show: log, needs: 'diagnoses' },
  { path: 'dumps', title: 'Dumps', show: dumps, needs: 'diagnoses' },
  { path: 'trace', title: 'Trace', show: trace, needs: 'diagnoses' },
  { path: 'terminal', title: 'Terminal', show: terminal },
  { path: 'printer', title: 'Printer', show: printer },
];

const main = document.getElementById('main');
let about, certified, person, leave, place, asks;

/** The page is left; `keeps`: what was typed is wanted again. */
function left(keeps) {
  leave?.(keeps);
  leave = undefined;
}

const unsaved = () => leave?.unsaved?.() ?? false;

/** Asks before what was typed is lost: true if the page may be left. */
async function mayLeave() {
  if (!unsaved()) return true;
  if (asks) return false;
  asks = true;
  const may = await sure('What you have typed is not saved. Leave it?', 'Leave');
  asks = false;
  return may;
}

/** The parts of the place in the address. */
function parts() {
  const read = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  return location.hash.replace(/^#\/?/, '').split('/').map(read);
}

function mine() {
  return PAGES.filter((page) => !page.needs || person[page.needs]);
}

function route() {
  if (!person) return;
  const [path, ...rest] = parts();
  place = location.hash;
  const page = mine().find((one) => one.path === path) ?? mine()[0];
  for (const link of document.querySelectorAll('#pages a')) {
    if (link.dataset.path === page.path) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  left();
  document.title = `${page.title} · ${about.applid}`;
  main.replaceChildren(el('h1', {}, page.title));
  leave = page.show(main, { person, about, rest: path === page.path ? rest : [] });
}

function signedOn(who) {
  person = who;
  document.getElementById('applid').textContent = about.applid;
  document.getElementById('sysid').textContent = about.sysid;
  document.getElementById('person').textContent = person.default ? 'not signed on' : person.name || person.user;
  document.getElementById('sign-off').textContent = person.default ? 'Sign on' : 'Sign off';
  document.getElementById('pages').replaceChildren(
    ...mine().map((page) => el('a', { href: `#/${page.path}`, 'data-path': page.path }, page.title)));
  document.getElementById('bar').hidden = false;
  route();
}

function signedOff(keeps) {
  left(keeps);
  person = undefined;
  document.getElementById('bar').hidden = true;
  document.title = about.applid;
  signOn(main, { about, certified }, signedOn);
}

document.getElementById('sign-off').addEventListener('click', async () => {
  if (!await mayLeave()) return;
  await post('/api/sign-off', {}).catch(() => {});
  signedOff();
});
document.addEventListener('signed-off', () => {
  if (person) {
    say('The session is over.');
    signedOff(true);
  }
});
addEventListener('hashchange', async () => {
  // The skip link is no page.
  if (location.hash === '#main') return main.focus();
  if (location.hash === place) return undefined;
  const wanted = location.hash;
  // The address says what is shown until that is decided.
  if (unsaved()) history.replaceState(null, '', place);
  if (!await mayLeave()) return undefined;
  if (location.hash !== wanted) history.replaceState(null, '', wanted);
  return route();
});
addEventListener('beforeunload', (event) => {
  if (unsaved()) event.preventDefault();
});

const answer = await get('/api/about').catch((refusal) => {
  main.replaceChildren(el('p', { class: 'problem' }, refusal.message));
});
if (answer) {
  about = answer.region;
  certified = answer.certified;
  if (answer.person) signedOn(answer.person);
  else signedOff();
}
