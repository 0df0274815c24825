// A table of the job's options, with a filter.

import { element, setText } from './dom.js';
import { count } from './text.js';

export class OptionTable {
  #section;
  #count;
  #text;
  #body;
  #left;
  #options = new Map();

  /** @param part returns the element with an id */
  constructor(part) {
    this.#section = part('configuration');
    this.#count = part('option-count');
    this.#text = part('option-text');
    this.#body = part('option-rows');
    this.#left = part('options-left-out');
    this.#text.addEventListener('input', () => this.#draw());
  }

  show({ options, optionsLeftOut }) {
    this.#section.hidden = options.size === 0 && optionsLeftOut === '';
    setText(this.#left, optionsLeftOut === '' ? '' : `There was no room for these: ${optionsLeftOut}`);
    // Redraw only for another event: all options come in one.
    if (this.#options !== options) {
      this.#options = options;
      this.#draw();
    }
  }

  #draw() {
    const text = this.#text.value.trim().toLowerCase();
    const all = [...this.#options].sort(([a], [b]) => (a < b ? -1 : 1));
    const found = all.filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(text));
    setText(
      this.#count,
      found.length === all.length ? count(all.length, 'option') : `${found.length} of ${count(all.length, 'option')}`,
    );
    this.#body.replaceChildren(
      ...found.map(([name, value]) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', { class: 'long' }, value))),
    );
  }
}
