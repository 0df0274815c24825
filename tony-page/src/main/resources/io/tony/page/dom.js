// Makes elements. Text becomes text, never markup, and only addresses of web pages become links. What a terminal would
// obey, or what would show text in another order than it has, is taken out of every text, whoever told it.

import { date, plain, webAddress, zone } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Attributes that are read to people. */
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

/** Names in an order of their own, whichever direction they are written in: `a › b`. */
export function names(list) {
  return list.flatMap((name, position) => [...(position === 0 ? [] : [' › ']), element('bdi', {}, name)]);
}

/** A time as people read it, with all of it for those who point at it or copy it. */
export function timeOf(millis, text = `${date(millis)} ${zone(millis)}`) {
  const exactly = new Date(millis).toISOString();
  return element('time', { datetime: exactly, title: exactly }, text);
}

/** Writes a text where it is another than before: what is selected or read aloud stays when nothing has changed. */
export function setText(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) {
    node.textContent = shown;
  }
}

/** Fills a node where what it shows is another than before. @param content makes elements and texts of the values */
export function setContent(node, values, content) {
  const key = JSON.stringify(values);
  if (node.dataset.key !== key) {
    node.dataset.key = key;
    node.replaceChildren(...content(values).map((child) => (typeof child === 'string' ? plain(child) : child)));
  }
}

/** A link to another site, in a tab of its own, or plain text where the address is not one of a web page. */
export function externalLink(address, label, attributes = {}) {
  const href = webAddress(address);
  return href === null
    ? element('span', {}, address)
    : element('a', { ...attributes, href, target: '_blank', rel: 'noopener noreferrer' }, label);
}
