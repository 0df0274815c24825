// Follows one attempt of a job until it has ended, whatever source it has.

import { pausing } from './pausing.js';
import { Unreachable } from './source.js';

/** Milliseconds between two looks; each that finds nothing new makes the next wait longer. */
const SHORTEST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;
const SLOWER = 1.5;

/** Events that are told in one go. Between two, the browser draws and hears of keys and clicks. */
const SLICE = 500;

export class Follower {
  #source;
  #chosen;
  #audience;
  #attempt = null;
  #reader = null;
  #wake = () => {};
  #stopped = false;

  /**
   * @param chosen the attempt to follow, counted from 0; null for the latest, also when another one begins
   * @param audience told {attempts(list, shown), begin(), events(list), trouble(error or null, whether it is final)}
   */
  constructor(source, chosen, audience) {
    this.#source = source;
    this.#chosen = chosen;
    this.#audience = audience;
  }

  /** Returns when there is nothing more to come. */
  async run() {
    let wait = SHORTEST_WAIT;
    while (!this.#stopped) {
      let over = false;
      let failed = false;
      try {
        const { news, whole } = await this.#look();
        wait = news ? SHORTEST_WAIT : wait * SLOWER;
        over = whole;
        this.#tell('trouble', null, false);
      } catch (error) {
        if (!(error instanceof Unreachable)) {
          this.#tell('trouble', error, true);
          return;
        }
        this.#tell('trouble', error, false);
        failed = true;
        wait *= SLOWER;
      }
      if (over) {
        return;
      }
      wait = Math.min(wait, LONGEST_WAIT);
      await this.#pause(failed ? wait : this.#source.pause ?? wait);
    }
  }

  stop() {
    this.#stopped = true;
    this.#wake();
  }

  async #look() {
    // First the state and then the log: a log read after its job's end is whole.
    const attempts = await this.#source.attempts();
    const shown = Math.min(this.#chosen ?? attempts.length - 1, attempts.length - 1);
    let news = false;
    if (shown !== this.#attempt) {
      this.#attempt = shown;
      this.#reader = this.#source.reader(shown);
      this.#tell('begin');
      news = true;
    }
    this.#tell('attempts', attempts, shown);
    const { started, ended, start, last } = attempts[shown];
    if (started && !(ended && start === null)) {
      for await (const events of this.#reader.news(ended)) {
        if (this.#stopped) {
          break;
        }
        news = true;
        await this.#tellAll(events);
      }
    }
    if (ended) {
      await this.#tellAll(this.#reader.end());
    }
    // After a failure that Azkaban has an attempt left for, the next one is waited for.
    return { news, whole: ended && (last || shown < attempts.length - 1) };
  }

  async #tellAll(events) {
    for (let first = 0; first < events.length; first += SLICE) {
      this.#tell('events', events.slice(first, first + SLICE));
      await breath();
    }
  }

  #tell(what, ...values) {
    if (!this.#stopped) {
      this.#audience[what](...values);
    }
  }

  #pause(millis) {
    const { done, wake } = pausing(millis);
    this.#wake = wake;
    return done;
  }
}

/** A timer would do; but a page that is hidden has only one in a second. */
function breath() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
