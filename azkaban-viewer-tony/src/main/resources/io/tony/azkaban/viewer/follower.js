// Follows the log of one attempt of a job until the attempt has ended.

import { Unreachable } from './azkaban.js';
import { Lines } from './log.js';

/** Bytes asked for at once. */
const PIECE = 500_000;

/** Azkaban leaves a letter, of so many bytes at most, to the next piece rather than cut it. */
const LETTER = 4;

/** Milliseconds between two looks; each that finds nothing new makes the next wait longer. */
const SHORTEST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;
const SLOWER = 1.5;

/** So much of a log's beginning, in bytes, tells whether it is still the same file. */
const HEAD = 400;

/** Reads a log from where it was read to, whole lines at a time. */
class LogReader {
  #azkaban;
  #attempt;
  #offset = 0;
  #lines = new Lines();
  #head = '';

  constructor(azkaban, attempt) {
    this.#azkaban = azkaban;
    this.#attempt = attempt;
  }

  /**
   * The new lines, in pieces, up to the end that the log has now.
   *
   * @param whole whether nothing is written any more. While it is, a piece that is not full is the last for now: to ask
   *     on at once could get half a letter, which Azkaban sends broken.
   */
  async *news(whole) {
    let piece = await this.#azkaban.log(this.#attempt, this.#offset, PIECE);
    if (piece.length <= 0 && (await this.#hasBegunAnew())) {
      this.#offset = 0;
      this.#lines = new Lines();
      this.#head = '';
      piece = await this.#azkaban.log(this.#attempt, 0, PIECE);
    }
    while (piece.length > 0) {
      this.#offset = piece.offset + piece.length;
      if (this.#head.length < HEAD) {
        this.#head += piece.data.slice(0, HEAD);
      }
      yield this.#lines.add(piece.data);
      if (!whole && piece.length < PIECE - LETTER) {
        return;
      }
      piece = await this.#azkaban.log(this.#attempt, this.#offset, PIECE);
    }
  }

  end() {
    return this.#lines.end();
  }

  // A log that grows too long goes on in a new file, and Azkaban shows that one while the job runs.
  async #hasBegunAnew() {
    if (this.#offset === 0) {
      return false;
    }
    const { data } = await this.#azkaban.log(this.#attempt, 0, HEAD);
    const known = Math.min(data.length, this.#head.length);
    return data.slice(0, known) !== this.#head.slice(0, known);
  }
}

export class Follower {
  #azkaban;
  #chosen;
  #audience;
  #attempt = null;
  #reader = null;
  #wake = () => {};
  #stopped = false;

  /**
   * @param chosen the attempt to follow, counted from 0; null for the latest, also when another one begins
   * @param audience told {attempts(list, shown), begin(), lines(list), trouble(error or null, whether it is final)}
   */
  constructor(azkaban, chosen, audience) {
    this.#azkaban = azkaban;
    this.#chosen = chosen;
    this.#audience = audience;
  }

  /** Returns when there is nothing more to come. */
  async run() {
    let wait = SHORTEST_WAIT;
    while (!this.#stopped) {
      let over = false;
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
        wait *= SLOWER;
      }
      if (over) {
        return;
      }
      wait = Math.min(wait, LONGEST_WAIT);
      await this.#pause(wait);
    }
  }

  stop() {
    this.#stopped = true;
    this.#wake();
  }

  async #look() {
    // First the state and then the log: a log read after its job's end is whole.
    const attempts = await this.#azkaban.attempts();
    const shown = Math.min(this.#chosen ?? attempts.length - 1, attempts.length - 1);
    let news = false;
    if (shown !== this.#attempt) {
      this.#attempt = shown;
      this.#reader = new LogReader(this.#azkaban, shown);
      this.#tell('begin');
      news = true;
    }
    this.#tell('attempts', attempts, shown);
    const { started, ended, start, last } = attempts[shown];
    if (started && !(ended && start === null)) {
      for await (const lines of this.#reader.news(ended)) {
        if (this.#stopped) {
          break;
        }
        news = true;
        this.#tell('lines', lines);
      }
    }
    if (ended) {
      this.#tell('lines', this.#reader.end());
    }
    // After a failure that Azkaban has an attempt left for, the next one is waited for.
    return { news, whole: ended && (last || shown < attempts.length - 1) };
  }

  #tell(what, ...values) {
    if (!this.#stopped) {
      this.#audience[what](...values);
    }
  }

  // Nobody looks at a page that is hidden: it waits until it is seen again.
  #pause(millis) {
    return new Promise((resolve) => {
      const visible = () => {
        if (!document.hidden) {
          document.removeEventListener('visibilitychange', visible);
          resolve();
        }
      };
      const timer = setTimeout(() => {
        document.addEventListener('visibilitychange', visible);
        visible();
      }, millis);
      this.#wake = () => {
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', visible);
        resolve();
      };
    });
  }
}

