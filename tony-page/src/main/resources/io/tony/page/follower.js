// Follows one attempt of a job, from any source, until the attempt has ended.

import { startPause } from './pause.js';
import { Unreachable } from './source.js';

/** Limits of the milliseconds between two polls, and the factor by which each poll without news extends them. */
const MIN_WAIT_MS = 2_000;
const MAX_WAIT_MS = 30_000;
const WAIT_FACTOR = 1.5;

/** Maximum number of events per call of the listener. Between two calls the browser can draw and handle input. */
const SLICE = 500;

export class Follower {
  #source;
  #chosen;
  #listener;
  #attempt = null;
  #reader = null;
  #wake = () => {};
  #stopped = false;

  /**
   * @param source see source.js
   * @param chosen the attempt to follow, counted from 0; null for the latest, also if another one begins
   * @param listener {attempts(list, shown), begin(), events(list), trouble(error or null, final)}. `begin` announces
   *     the events of another attempt; `final` is true if the follower gives up.
   */
  constructor(source, chosen, listener) {
    this.#source = source;
    this.#chosen = chosen;
    this.#listener = listener;
  }

  /** Returns when no more events will come, after a final error, or when stopped. */
  async run() {
    let wait = MIN_WAIT_MS;
    while (!this.#stopped) {
      let finished = false;
      let failed = false;
      try {
        const { news, whole } = await this.#poll();
        wait = news ? MIN_WAIT_MS : wait * WAIT_FACTOR;
        finished = whole;
        this.#notify('trouble', null, false);
      } catch (error) {
        if (!(error instanceof Unreachable)) {
          this.#notify('trouble', error, true);
          return;
        }
        this.#notify('trouble', error, false);
        failed = true;
        wait *= WAIT_FACTOR;
      }
      if (finished) {
        return;
      }
      wait = Math.min(wait, MAX_WAIT_MS);
      await this.#pause(failed ? wait : this.#source.pause ?? wait);
    }
  }

  stop() {
    this.#stopped = true;
    this.#wake();
  }

  async #poll() {
    // Read the state before the log: a log that is read after the job's end is complete.
    const attempts = await this.#source.attempts();
    const shown = Math.min(this.#chosen ?? attempts.length - 1, attempts.length - 1);
    let news = false;
    if (shown !== this.#attempt) {
      this.#attempt = shown;
      this.#reader = this.#source.reader(shown);
      this.#notify('begin');
      news = true;
    }
    this.#notify('attempts', attempts, shown);
    const { started, ended, start, last } = attempts[shown];
    if (started && !(ended && start === null)) {
      for await (const events of this.#reader.news(ended)) {
        if (this.#stopped) {
          break;
        }
        news = true;
        await this.#notifyEvents(events);
      }
    }
    if (ended) {
      await this.#notifyEvents(this.#reader.end());
    }
    // After a failure that Azkaban may retry, wait for the next attempt.
    return { news, whole: ended && (last || shown < attempts.length - 1) };
  }

  async #notifyEvents(events) {
    for (let first = 0; first < events.length; first += SLICE) {
      this.#notify('events', events.slice(first, first + SLICE));
      await yieldToBrowser();
    }
  }

  #notify(what, ...values) {
    if (!this.#stopped) {
      this.#listener[what](...values);
    }
  }

  #pause(millis) {
    const { done, wake } = startPause(millis);
    this.#wake = wake;
    return done;
  }
}

/** Uses a message instead of a timer, because a hidden page has only one timer per second. */
function yieldToBrowser() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
