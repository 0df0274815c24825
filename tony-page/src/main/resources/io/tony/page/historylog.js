// Reads the events of an attempt from its log in Azkaban or, if that has none, from the history. Azkaban's web server
// queries the history on behalf of the user.

import { EventFeed } from './jobserver.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

export class FallbackLog {
  /** Note on events that do not come from Azkaban's log, with a link: {text, href}; null while they do. */
  origin = null;
  #log;
  #query;
  #job = null;
  #link = null;
  #hasEvents = false;
  #finished = false;
  #caughtUp = false;
  #events = null;
  #reason = 'Azkaban’s log of this attempt has no event.';

  /**
   * @param log reads the log, as a reader of source.js that also has {empty, refused}
   * @param query of the attempt: {execid, jobid, attempt}
   */
  constructor(log, query) {
    this.#log = log;
    this.#query = query;
  }

  async *news(whole) {
    let logError = null;
    if (this.#events === null) {
      try {
        for await (const events of this.#log.news(whole)) {
          yield this.#noteLogEvents(events);
        }
        if (whole) {
          yield this.#noteLogEvents(this.#log.end());
        }
      } catch (error) {
        if (error instanceof SessionExpired) {
          throw error;
        }
        logError = error;
        this.#reason = 'Azkaban does not give the log of this attempt.';
      }
    }
    // A log that has lines may be that of a job that is about to begin. The history has no job that was not submitted.
    const noEvents = !this.#hasEvents && (logError !== null || (whole && !this.#log.refused) || this.#log.empty);
    if (noEvents || this.#events !== null) {
      yield* this.#historyEvents(whole);
    }
    if (logError !== null && this.#events === null) {
      throw logError;
    }
  }

  end() {
    return [];
  }

  #noteLogEvents(events) {
    if (events.length > 0) {
      this.#hasEvents = true;
      this.origin = null; // the log can be read again
    }
    return events;
  }

  async *#historyEvents(whole) {
    const events =
      this.#events ??
      new EventFeed(
        (from) => this.#request(from),
        () => this.#job,
        (some, rest) => this.#noteHistoryEvents(some, rest),
      );
    do {
      try {
        yield* events.next();
      } catch (error) {
        if (error instanceof NoEventsError) {
          return;
        }
        throw error;
      }
      this.#events = events;
    } while (whole && !this.#caughtUp);
  }

  #noteHistoryEvents(some, { finished, pause, events }) {
    this.#caughtUp = finished === true || pause > 0 || events?.length === 0;
    // The history's list of jobs may learn of the end later than from the events.
    this.#finished ||= finished === true || some.some(({ type }) => type === 'JOB_FINISHED');
    const now = this.#finished ? '' : ' The job had not ended when this was read.';
    this.origin = {
      text: `${this.#reason} What is shown is from the history, where it is a job of ${this.#job.user}.${now}`,
      href: this.#link,
    };
  }

  async #request(from) {
    let response;
    try {
      response = await fetch(`recalled?${new URLSearchParams({ ...this.#query, from })}`, { cache: 'no-store' });
    } catch (e) {
      throw new Unreachable('Azkaban does not answer.');
    }
    const text = await response.text().catch(() => '');
    if (response.status === 401) {
      throw new SessionExpired(text);
    }
    if (response.status === 403) {
      throw new Refused(text);
    }
    const answer = response.ok ? parsed(text) : null;
    if (answer === null) {
      throw new Unreachable(response.status === 503 ? text : `Azkaban answered with HTTP status ${response.status}.`);
    }
    if (answer.told === undefined) {
      // `why` is absent if the site has no history.
      this.origin = answer.why === undefined ? null : { text: `${this.#reason} ${answer.why}`, href: answer.link };
      throw new NoEventsError();
    }
    this.#job = answer.job;
    this.#link = answer.link;
    return answer.told;
  }
}

/** There is no history, or it has no events for this user. */
class NoEventsError extends Error {}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (e) {
    return null;
  }
}
