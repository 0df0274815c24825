// Makes elements. Text becomes text, never markup, and only addresses of web pages become links.

import { webAddress } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Writes a text where it is another than before: what is selected or read aloud stays when nothing has changed. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** A link to another site, in a tab of its own, or plain text where the address is not one of a web page. */
export function externalLink(address, label, attributes = {}) {
  const href = webAddress(address);
  return href === null
    ? element('span', {}, address)
    : element('a', { ...attributes, href, target: '_blank', rel: 'noopener noreferrer' }, label);
}
