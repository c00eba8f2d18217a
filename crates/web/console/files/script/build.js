// Elements. Whatever a text is, it becomes text: nothing here reads markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An element: `on…` attributes are listeners. */
export const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** An element of a picture. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/** Tells the user something for a while. */
export function say(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { said.textContent = ''; }, 6000);
}

/** Asks the user a question: true if the answer is yes. */
export function sure(question, yes) {
  const dialog = document.getElementById('question');
  document.getElementById('question-text').textContent = question;
  document.getElementById('question-yes').textContent = yes;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** A word that says how something is, in its colour. */
export function status(word) {
  const good = ['ENABLED', 'OPEN', 'RUNNING', 'AVAILABLE', 'INSERVICE', 'ACQUIRED', 'CONNECTED', 'STARTED'];
  const bad = ['DISABLED', 'UNENABLED', 'CLOSED', 'RELEASED', 'OUTSERVICE', 'NOTCONNECTED', 'STOPPED'];
  const className = good.includes(word) ? 'good' : bad.includes(word) ? 'warn' : undefined;
  return className ? el('span', { class: className }, word) : String(word);
}
