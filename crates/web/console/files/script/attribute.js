// The field of an attribute: its value, what is legal, and what is wrong with it.

import { el } from './build.js';

/** A field. `given` is the value that the definition gives, `typed` what the user has typed over it; both may be undefined. */
export class Field {
  constructor(spec, given, typed, onchange) {
    this.spec = spec;
    this.given = given;
    const id = `attribute-${spec.name}`;
    const described = `${id}-legal ${id}-problem`;
    const common = { id, name: spec.name, 'aria-describedby': described, oninput: onchange };
    this.control = spec.only ? this.choice(common) : this.entry(common);
    if (typed !== undefined) this.control.value = typed;
    this.problem = el('p', { class: 'problem', id: `${id}-problem` });
    this.element = el('div', { class: 'attribute' },
      el('label', { for: id }, spec.name), this.control, this.words,
      el('p', { class: 'legal', id: `${id}-legal` }, this.hint()), this.problem);
  }

  choice(common) {
    const { default: own, words } = this.spec;
    const none = this.given === undefined ? [el('option', { value: '' }, own ? `${own} (default)` : '')] : [];
    const others = this.given === undefined || words.includes(this.given) ? words : [this.given, ...words];
    return el('select', common, none, others.map((word) => el('option', { value: word, selected: word === this.given }, word)));
  }

  entry(common) {
    const { default: own, words, name } = this.spec;
    const list = words.length > 0 ? `${name}-words` : undefined;
    this.words = list && el('datalist', { id: list }, words.map((word) => el('option', { value: word })));
    return el('input', {
      ...common, list, value: this.given ?? '', placeholder: own ? `${own} (default)` : undefined, spellcheck: 'false', autocomplete: 'off',
    });
  }

  hint() {
    const { only, legal, obsolete } = this.spec;
    return [only ? '' : legal, obsolete ? 'obsolete: it means nothing' : ''].filter((text) => text).join('; ');
  }

  get value() {
    return this.control.value;
  }

  /** True if the user has typed over it. */
  get changed() {
    return this.value !== (this.given ?? '');
  }

  /** Says what is wrong; nothing: it is right. */
  refuse(text = '') {
    this.problem.textContent = text;
    if (text) this.control.setAttribute('aria-invalid', 'true');
    else this.control.removeAttribute('aria-invalid');
  }
}
