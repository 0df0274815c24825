// Creates DOM elements. Text is never parsed as markup, and only http(s) addresses become links. Terminal control
// sequences, and characters that change the order of text, are removed from every text, whatever its source.

import { date, plain, webAddress, zone } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Attributes whose values are shown or read out. */
const SPOKEN = new Set(['aria-label', 'title']);

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, SPOKEN.has(name) ? plain(value) : value);
  }
  node.append(...children.map((child) => (typeof child === 'string' ? plain(child) : child)));
  return node;
}

/** Joins names to `a › b`. Each name is isolated, so that its writing direction does not change the order. */
export function names(list) {
  return list.flatMap((name, position) => [...(position === 0 ? [] : [' › ']), element('bdi', {}, name)]);
}

/** Formats a time in ms since 1970. The tooltip and the attribute `datetime` have the exact time. */
export function timeOf(millis, text = `${date(millis)} ${zone(millis)}`) {
  const exactly = new Date(millis).toISOString();
  return element('time', { datetime: exactly, title: exactly }, text);
}

/** Sets the text of a node only if it differs, so that a selection survives and nothing is read out again. */
export function setText(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) {
    node.textContent = shown;
  }
}

/**
 * Fills a node only if the values differ from the last call's.
 *
 * @param values what the content depends on, as JSON can represent it
 * @param content makes elements and texts from the values
 */
export function setContent(node, values, content) {
  const key = JSON.stringify(values);
  if (node.dataset.key !== key) {
    node.dataset.key = key;
    node.replaceChildren(...content(values).map((child) => (typeof child === 'string' ? plain(child) : child)));
  }
}

/** A link to another site that opens in a new tab; the address as plain text if it is not http(s). */
export function externalLink(address, label, attributes = {}) {
  const href = webAddress(address);
  return href === null
    ? element('span', {}, address)
    : element('a', { ...attributes, href, target: '_blank', rel: 'noopener noreferrer' }, label);
}
