// Finds the events in the text of a log that Azkaban sends. Does not touch the page.

// Characters that commons-lang's escapeHtml never leaves.
const RAW = /[<>"]/;
const ENTITY = /&(?:#(\d+)|(\w+));/g;
const MARK = 'tony-event';
// What Azkaban's log4j puts before a message in its default layout: time, job and level, which is the group.
export const LAYOUT = /^\d{2}-\d{2}-\d{4} \d{2}:\d{2}:\d{2} \S+ .*? ([A-Z]+) - /s;
// In another layout, an event follows the prefix and a single space. Farther in, the line quotes a program.
const ANY_LAYOUT = /^(?:.*?[^ ] | ?)(?=tony-events? )/s;
// Several events per line or, in earlier releases, one.
const EVENTS = /^tony-event(?:s (\[.*\])| (\{.*\}))\s*$/s;
const EVENT_VERSION = 1;

const namedEntities = new Map();

/**
 * The line as it is in the log. Azkaban 3 escapes HTML, and characters beyond ASCII by names and by numbers of UTF-16
 * units; Azkaban 2.5 does not. A line with a character that would have been escaped was not escaped.
 */
export function unescapeLine(line) {
  return RAW.test(line)
    ? line
    : line.replace(ENTITY, (all, number, name) => (number ? String.fromCharCode(Number(number)) : decodedEntity(all, name)));
}

// The browser knows the 250 names. It parses a single entity only, never other text of the log.
function decodedEntity(entity, name) {
  if (!namedEntities.has(name)) {
    const text = new DOMParser().parseFromString(entity, 'text/html').documentElement.textContent;
    namedEntities.set(name, text);
  }
  return namedEntities.get(name);
}

/** Splits text that comes in pieces of any size into lines. */
export class Lines {
  #rest = '';

  /** The lines that end in this piece. An unfinished line waits for the next piece. */
  add(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  /** The last line of a log that does not end with a line break. */
  end() {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

/**
 * Finds the events in the lines of one log. Others write to the log, too, and may quote a program, so an event must
 * follow directly after log4j's prefix. Once a line in Azkaban's layout was read, a line without it continues a message
 * of several lines.
 */
export class EventReader {
  #layout = ANY_LAYOUT;

  /** The events in a line; none if the beginning of the line is missing. */
  eventsOf(line) {
    const begin = LAYOUT.exec(line);
    if (begin !== null) {
      this.#layout = LAYOUT;
    }
    if (!line.includes(MARK)) {
      return [];
    }
    const prefix = begin ?? this.#layout.exec(line);
    return prefix === null ? [] : eventsIn(unescapeLine(line.slice(prefix[0].length)));
  }
}

function eventsIn(text) {
  const match = EVENTS.exec(text);
  if (match === null) {
    return [];
  }
  try {
    return [JSON.parse(match[1] ?? match[2])].flat().map(eventOf).filter((one) => one !== null);
  } catch (e) {
    return [];
  }
}

/** {time (ms), type, session, task (null for the whole job), details (Map of strings)}; null if invalid. */
export function eventOf(json) {
  const time = Date.parse(json?.time);
  if (json?.v !== EVENT_VERSION || Number.isNaN(time) || typeof json.type !== 'string') {
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
