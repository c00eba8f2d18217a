// A definition in full: each attribute may be typed over. What another has changed meanwhile is shown, and nothing of it is lost.

import { get } from './ask.js';
import { Field } from './attribute.js';
import { el, say, sure } from './build.js';
import { button, edit, lines, small, told } from './edit.js';
import { table } from './table.js';

/** What was typed when a session came to its end, by user and definition. */
const drafts = new Map();

const hash = (...parts) => `#/definitions/${parts.map(encodeURIComponent).join('/')}`;

/** ENTER in a field that only looks saves nothing. */
function stay(event) {
  if (event.key === 'Enter') event.preventDefault();
}

/** The attributes of a definition as a form needs them. */
function given({ attributes }) {
  return new Map(attributes.filter(([, , own]) => own).map(([name, value]) => [name, value]));
}

/** A definition that may be changed. */
class Form {
  constructor(place, { person, group, name, type, types, base }) {
    Object.assign(this, { place, person, types, base, group, name, type });
    this.isNew = !base;
    this.fields = [];
    this.over = false;
    this.draft = `${person.user} ${base ? hash(group, type, name) : 'new'}`;
    this.alert = el('div', { role: 'alert' });
    this.conflict = el('section', { class: 'conflict', 'aria-label': 'Changed by another', tabindex: '-1', hidden: true });
    this.attributes = el('div', { class: 'attributes' });
    this.actions = el('div', { class: 'row' });
    this.saves = el('button', { type: 'submit', class: 'main', id: 'save' }, this.isNew ? 'Define' : 'Save');
    this.undoes = el('button', { type: 'button', id: 'undo', onclick: () => this.undo() }, 'Undo');
    this.filter = el('input', { type: 'search', id: 'attribute', spellcheck: 'false', oninput: () => this.choose(), onkeydown: stay });
    this.element = el('form', { class: 'definition', onsubmit: (event) => this.save(event) },
      this.isNew ? this.names() : null, this.alert, this.conflict,
      el('div', { class: 'row bar' }, this.saves, this.undoes, el('label', {}, 'Attributes with', this.filter)), this.attributes);
    place.replaceChildren(this.element, ...(this.isNew ? [] : [this.actions]));
  }

  /** Type, name and group of one that is not there yet. */
  names() {
    const part = (name, title, control) => {
      control.id = `part-${name}`;
      const problem = el('p', { class: 'problem', id: `part-${name}-problem` });
      control.setAttribute('aria-describedby', problem.id);
      this.parts.set(name, [control, problem]);
      return el('div', { class: 'attribute' }, el('label', { for: control.id }, title), control, problem);
    };
    this.parts = new Map();
    const entry = (value) => el('input', { value, spellcheck: 'false', autocapitalize: 'characters', autocomplete: 'off', oninput: () => this.watch() });
    const type = el('select', { onchange: () => this.ofType(type.value) }, this.types.map((one) => el('option', { value: one, selected: one === this.type }, one)));
    return el('div', { class: 'attributes' }, part('TYPE', 'Type', type), part('NAME', 'Name', entry(this.name ?? '')),
      part('GROUP', 'Group', entry(this.group ?? '')));
  }

  typedIn(part) {
    return this.parts.get(part)[0].value.trim();
  }

  /** Shows the attributes of a type; what was typed stays where the new type has it, too. */
  async ofType(type, kept) {
    const typed = kept ?? this.typed();
    this.type = type;
    const { attributes } = await get('/api/attributes', { type });
    this.specs = attributes;
    this.draw(typed);
  }

  /** What was typed over, by attribute. */
  typed() {
    return new Map(this.fields.filter((field) => field.changed).map((field) => [field.spec.name, field.value]));
  }

  draw(typed = new Map()) {
    const own = this.base ? given(this.base) : new Map();
    const shown = this.specs.filter((spec) => !spec.obsolete || own.has(spec.name));
    this.fields = shown.map((spec) => new Field(spec, own.get(spec.name), typed.get(spec.name), () => this.watch()));
    this.attributes.replaceChildren(...this.fields.map((field) => field.element));
    this.choose();
    this.watch();
  }

  choose() {
    const wanted = this.filter.value.trim().toUpperCase();
    for (const field of this.fields) {
      field.element.hidden = wanted !== '' && !field.spec.name.includes(wanted) && !field.value.toUpperCase().includes(wanted) && !field.changed;
    }
  }

  get unsaved() {
    if (this.over) return false;
    const named = this.isNew && (this.typedIn('NAME') !== (this.name ?? '') || this.typedIn('GROUP') !== (this.group ?? ''));
    return named || this.fields.some((field) => field.changed);
  }

  watch() {
    const { unsaved } = this;
    this.undoes.disabled = !unsaved;
    for (const action of this.actions.querySelectorAll('button')) action.disabled = unsaved;
    this.actions.classList.toggle('waits', unsaved);
  }

  undo() {
    for (const [control] of this.isNew ? [this.parts.get('NAME'), this.parts.get('GROUP')] : []) control.value = control.defaultValue;
    this.clear();
    this.draw();
    this.saves.focus();
  }

  clear() {
    this.alert.replaceChildren();
    this.conflict.hidden = true;
    for (const field of this.fields) field.refuse();
    for (const [control, problem] of this.parts?.values() ?? []) {
      control.removeAttribute('aria-invalid');
      problem.textContent = '';
    }
  }

  /** What is named, and the version that is seen here. */
  named() {
    const { type, name, group, base } = this;
    return { type, name, group, version: base?.version };
  }

  async save(event) {
    event.preventDefault();
    this.clear();
    const attributes = [...this.typed()];
    if (!this.isNew && attributes.length === 0) return say('Nothing was typed over.');
    const request = this.isNew
      ? { verb: 'DEFINE', type: this.type, name: this.typedIn('NAME'), group: this.typedIn('GROUP'), attributes }
      : { verb: 'ALTER', ...this.named(), attributes };
    this.saves.disabled = true;
    try {
      const answer = await edit(request);
      told(answer);
      if (this.isNew) {
        this.over = true;
        location.hash = hash(request.group.toUpperCase(), ...(answer.definition ?? [request.type, request.name]));
      } else {
        await this.again(new Map(attributes));
      }
    } catch (refusal) {
      this.tell(refusal);
    } finally {
      this.saves.disabled = false;
    }
    return undefined;
  }

  /** Reads the definition again; what was typed beside the values that are saved stays. */
  async again(saved) {
    const { definitions } = await get('/api/group', { name: this.group });
    const typed = new Map([...this.typed()].filter(([name, value]) => saved.get(name) !== value));
    this.rebase(definitions.find((one) => one.type === this.type && one.name === this.name) ?? this.base, typed);
  }

  /** Shows another state of the definition, and what was typed over it. */
  rebase(base, typed) {
    this.base = base;
    this.over = false;
    this.clear();
    this.draw(typed);
  }

  /** Tells what is refused, at the field where it belongs. */
  tell(refusal) {
    if (refusal.why === 'changed') return this.differs(refusal.body.now);
    const places = new Map(this.fields.map((field) => [field.spec.name, field]));
    let first;
    for (const [part, text] of refusal.body?.parts ?? []) {
      const field = places.get(part);
      const [control, problem] = field ? [field.control, field.problem] : this.parts?.get(part) ?? [];
      if (!control) continue;
      problem.textContent = text;
      control.setAttribute('aria-invalid', 'true');
      if (field) field.element.hidden = false;
      first ??= control;
    }
    this.alert.replaceChildren(el('p', { class: 'problem lines' }, lines(refusal, (part) => places.has(part) || this.parts?.has(part))));
    first?.focus();
    return undefined;
  }

  /** Shows what another has made of it since. */
  differs(now) {
    const typed = this.typed();
    const choose = (title, does) => el('button', { type: 'button', onclick: does }, title);
    if (!now) {
      this.conflict.replaceChildren(el('p', {}, 'It is not there any more: another has deleted, renamed or moved it. What was typed is still here.'),
        el('div', { class: 'row' }, choose('To the group', () => { this.over = true; location.hash = hash(this.group); })));
    } else {
      const [was, is] = [given(this.base), given(now)];
      const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
      const rows = names.map((name) => [name, was.get(name) ?? 'not given', is.get(name) ?? 'not given', typed.get(name) ?? '']);
      this.conflict.replaceChildren(el('p', {}, 'Another has changed it since it was shown here. Nothing is saved yet.'),
        table('What has changed', [{ title: 'Attribute', name: true }, { title: 'Was' }, { title: 'Is now' }, { title: 'Typed here' }], rows),
        el('div', { class: 'row' }, choose('Keep what I have typed', () => { this.rebase(now, typed); this.saves.focus(); }),
          choose('Take what is there', () => { this.rebase(now, new Map()); this.saves.focus(); })));
    }
    this.conflict.hidden = false;
    this.conflict.focus();
  }

  /** Whatever else may be done to a definition. */
  offer() {
    const act = async (verb, more, where) => {
      try {
        told(await edit({ verb, ...this.named(), ...more }));
      } catch (refusal) {
        if (refusal.why !== 'changed') throw refusal;
        return this.differs(refusal.body.now);
      }
      if (where) {
        this.over = true;
        location.hash = where;
      }
      return undefined;
    };
    const { type, name, group } = this;
    const named = (text) => (type === 'TRANSACTION' ? text : text.toUpperCase());
    this.actions.replaceChildren(
      button('Install', () => act('INSTALL', { version: undefined })),
      small('Copy…', [['to', 'To group', group], ['as', 'As']], (typed) => act('COPY', typed, hash(typed.to.toUpperCase() || group, type, named(typed.as) || name))),
      small('Rename…', [['as', 'New name']], (typed) => act('RENAME', typed, hash(group, type, named(typed.as)))),
      small('Move…', [['to', 'To group']], (typed) => act('MOVE', typed, hash(typed.to.toUpperCase(), type, name))),
      button('Delete', async () => {
        if (await sure(`Delete ${type} ${name} of group ${group}? What is installed stays until it is discarded.`, 'Delete')) {
          await act('DELETE', {}, hash(group));
        }
      }, true));
  }

  async begin() {
    const draft = drafts.get(this.draft);
    drafts.delete(this.draft);
    await this.ofType(draft?.type ?? this.type, draft?.typed ?? new Map());
    if (!this.isNew) this.offer();
    if (draft) {
      for (const [part, value] of draft.parts) this.parts.get(part)[0].value = value;
      say('What you had typed is here again.');
    }
    this.watch();
  }

  /** Keeps what was typed, for when the user is back. */
  keep() {
    if (!this.unsaved) return;
    const parts = this.isNew ? [...this.parts].map(([part, [control]]) => [part, control.value]) : [];
    drafts.set(this.draft, { type: this.type, typed: this.typed(), parts });
  }
}

/** Shows a definition that is there, or the form of a new one: what the frame asks when the page is left. */
export async function open(place, what) {
  if (what.base && !what.person.operates) {
    place.replaceChildren(el('dl', {}, what.base.attributes.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])));
    return undefined;
  }
  const form = new Form(place, what);
  await form.begin();
  return form;
}
