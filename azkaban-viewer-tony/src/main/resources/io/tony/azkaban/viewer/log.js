// From the text that Azkaban answers with to the events that are in it. Nothing here touches the page.

// What commons-lang's escapeHtml leaves none of.
const RAW = /[<>"]/;
const ENTITY = /&(?:#(\d+)|(\w+));/g;
// After log4j's own words and one blank; further in, it is a program that quotes one.
const EVENT = /(?:^ ?|[^ ] )tony-event (\{.*\})\s*$/s;
const EVENT_VERSION = 1;

const namedEntities = new Map();

/**
 * The line as it is in the log. Azkaban 3 escapes what it sends for HTML, beyond ASCII by names and numbers of
 * UTF-16 units; Azkaban 2.5 sends it as it is. A line that holds what would have been escaped was not.
 */
export function unescapeLine(line) {
  return RAW.test(line)
    ? line
    : line.replace(ENTITY, (all, number, name) => (number ? String.fromCharCode(Number(number)) : named(all, name)));
}

// The browser knows the 250 names. It is given a single entity, never anything else of the log.
function named(entity, name) {
  if (!namedEntities.has(name)) {
    const text = new DOMParser().parseFromString(entity, 'text/html').documentElement.textContent;
    namedEntities.set(name, text);
  }
  return namedEntities.get(name);
}

/** Cuts text that comes in pieces of any size into lines. */
export class Lines {
  #rest = '';

  /** The lines that end in this piece, without what begins in it and does not end. */
  add(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  /** The last line of a log that has no end of line. */
  end() {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

/**
 * The event that a line of the log holds, null for any other line, also for one whose beginning is missing:
 * {time (ms), type, session, task (null for the whole job), details (Map of strings)}.
 */
export function eventOf(line) {
  if (!line.includes('tony-event ')) {
    return null;
  }
  const match = EVENT.exec(unescapeLine(line));
  if (match === null) {
    return null;
  }
  let json;
  try {
    json = JSON.parse(match[1]);
  } catch (e) {
    return null;
  }
  const time = Date.parse(json.time);
  if (json.v !== EVENT_VERSION || Number.isNaN(time) || typeof json.type !== 'string') {
    return null;
  }
  return {
    time,
    type: json.type,
    session: Number(json.session) || 0,
    task: typeof json.task === 'string' ? json.task : null,
    details: new Map(Object.entries(json.details ?? {}).map(([key, value]) => [key, String(value)])),
  };
}
