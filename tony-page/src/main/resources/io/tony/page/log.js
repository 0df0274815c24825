// From the text that Azkaban answers with to the events that are in it. Nothing here touches the page.

// What commons-lang's escapeHtml leaves none of.
const RAW = /[<>"]/;
const ENTITY = /&(?:#(\d+)|(\w+));/g;
const MARK = 'tony-event';
// What Azkaban's log4j puts before a text, unless the administrator has another layout: time, job and level,
// which is the group.
export const LAYOUT = /^\d{2}-\d{2}-\d{4} \d{2}:\d{2}:\d{2} \S+ .*? ([A-Z]+) - /s;
// In another layout: after log4j's own words and one blank; further in, it is a program that quotes one.
const ANY_LAYOUT = /^(?:.*?[^ ] | ?)(?=tony-events? )/s;
// Several events in a line, or one, as earlier releases wrote it.
const EVENTS = /^tony-event(?:s (\[.*\])| (\{.*\}))\s*$/s;
const EVENT_VERSION = 1;

const namedEntities = new Map();

/**
 * The line as it is in the log. Azkaban 3 escapes what it sends for HTML, beyond ASCII by names and numbers of
 * UTF-16 units; Azkaban 2.5 sends it as it is. A line that holds what would have been escaped was not.
 */
export function unescapeLine(line) {
  return RAW.test(line)
    ? line
    : line.replace(ENTITY, (all, number, name) => (number ? String.fromCharCode(Number(number)) : decodedEntity(all, name)));
}

// The browser knows the 250 names. It is given a single entity, never anything else of the log.
function decodedEntity(entity, name) {
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
 * Finds the events in the lines of one log. The client writes nothing else that looks like one; but others write to the
 * log, too, and they may quote a program. So an event is only what stands right after log4j's own words. Once a line
 * with Azkaban's layout was seen, a line without it is the rest of a text that had several.
 */
export class EventReader {
  #layout = ANY_LAYOUT;

  /** The events that a line holds; none for any other line, also for one whose beginning is missing. */
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

/** {time (ms), type, session, task (null for the whole job), details (Map of strings)}, or null. */
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
