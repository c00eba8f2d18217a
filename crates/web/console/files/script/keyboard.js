// Keys of a browser as those of a 3270, as common emulators have them.

const PLAIN = {
  Enter: 'enter', Tab: 'tab', Backspace: 'backspace', Delete: 'delete', Insert: 'insert', Home: 'home', End: 'fieldend', Pause: 'clear',
  ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down', PageUp: 'pf7', PageDown: 'pf8', Escape: 'reset',
};
const SHIFTED = { Tab: 'backtab', Enter: 'newline', End: 'eraseeof', Escape: 'sysreq', PageUp: 'pa3' };
const WITH_ALT = {
  Digit1: 'pa1', Digit2: 'pa2', Digit3: 'pa3', KeyA: 'attn', KeyC: 'clear', KeyD: 'dup', KeyF: 'eraseeof', KeyI: 'eraseinput', KeyM: 'fieldmark',
  KeyR: 'reset', KeyS: 'sysreq', Insert: 'pa1', Home: 'pa2', PageUp: 'pa3', Delete: 'eraseinput',
};
const WITH_CONTROL = { Enter: 'newline', End: 'eraseeof', Delete: 'eraseeof' };
/** Keys that do something when they are pressed alone, by the side of the keyboard. */
export const ALONE = { ControlLeft: 'reset', ControlRight: 'enter' };

/** The 3270's key for a key that goes down; nothing if it is a character, or the browser's own. */
export function keyOf(event) {
  const { key, code, shiftKey, altKey, ctrlKey, metaKey } = event;
  if (metaKey || event.isComposing) return undefined;
  const number = /^F([1-9]|1[0-2])$/.exec(key);
  if (number && !altKey && !ctrlKey) return `pf${Number(number[1]) + (shiftKey ? 12 : 0)}`;
  if (altKey && !ctrlKey) return WITH_ALT[code];
  if (ctrlKey && !altKey) return WITH_CONTROL[key];
  if (ctrlKey || altKey) return undefined;
  return (shiftKey && SHIFTED[key]) || PLAIN[key];
}

/** What the help says. */
export const HELP = [
  ['F1 to F12, with Shift', 'PF1 to PF12, PF13 to PF24'],
  ['Alt+1, Alt+2, Alt+3; Alt+Insert, Alt+Home, Shift+Page Up', 'PA1, PA2, PA3'],
  ['Enter or right Ctrl alone; Shift+Enter', 'ENTER; to the next line'],
  ['Tab, Shift+Tab, Home', 'to the next field, back, to the first'],
  ['Pause or Alt+C', 'CLEAR'],
  ['Escape or left Ctrl alone', 'RESET'],
  ['Escape, then Tab', 'leaves the screen for the rest of the page'],
  ['Alt+A; Alt+S or Shift+Escape', 'ATTN; SYSREQ'],
  ['Shift+End, Ctrl+Delete or Alt+F; Alt+I or Alt+Delete', 'ERASE EOF; ERASE INPUT'],
  ['Insert', 'insert mode'],
  ['Page Up, Page Down', 'PF7, PF8'],
  ['Alt+D, Alt+M', 'DUP, FIELD MARK'],
  ['Ctrl+P', 'prints the screen, as the button Print does'],
];

/** Keys of the bar below the screen. */
export const BAR = [
  ['Enter', 'enter'], ['Clear', 'clear'], ['Tab', 'tab'], ['Reset', 'reset'], ['PA1', 'pa1'], ['PA2', 'pa2'], ['PA3', 'pa3'],
  ['Attn', 'attn'], ['SysReq', 'sysreq'], ['EraseEOF', 'eraseeof'], ['Insert', 'insert'],
  ...Array.from({ length: 24 }, (_, at) => [`PF${at + 1}`, `pf${at + 1}`]),
];
