// A job of Azkaban's: its state and its log, read with the session of whoever looks.

import { Lines, EventReader } from './log.js';
import { RecalledLog } from './recalled.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Bytes asked for at once. */
const PIECE = 500_000;

/** Azkaban leaves a letter, of so many bytes at most, to the next piece rather than cut it. */
const LETTER = 4;

/** So much of a log's beginning, in bytes, tells whether it is still the same file. */
const HEAD = 400;

/** Reads the events of a log from where it was read to. */
class LogReader {
  #azkaban;
  #attempt;
  #offset = 0;
  #lines = new Lines();
  #events = new EventReader();
  #head = '';

  constructor(azkaban, attempt) {
    this.#azkaban = azkaban;
    this.#attempt = attempt;
  }

  /**
   * The new events, in pieces, up to the end that the log has now.
   *
   * @param whole whether nothing is written any more. While it is, a piece that is not full is the last for now: to ask
   *     on at once could get half a letter, which Azkaban sends broken.
   */
  async *news(whole) {
    let piece = await this.#azkaban.piece(this.#attempt, this.#offset, PIECE);
    if (piece.length <= 0 && (await this.#hasBegunAnew())) {
      this.#offset = 0;
      this.#lines = new Lines();
      this.#head = '';
      piece = await this.#azkaban.piece(this.#attempt, 0, PIECE);
    }
    while (piece.length > 0) {
      this.#offset = piece.offset + piece.length;
      if (this.#head.length < HEAD) {
        this.#head += piece.data.slice(0, HEAD);
      }
      yield this.#eventsOf(this.#lines.add(piece.data));
      if (!whole && piece.length < PIECE - LETTER) {
        return;
      }
      piece = await this.#azkaban.piece(this.#attempt, this.#offset, PIECE);
    }
  }

  end() {
    return this.#eventsOf(this.#lines.end());
  }

  /** Whether nothing of it was there. */
  get empty() {
    return this.#offset === 0;
  }

  #eventsOf(lines) {
    return lines.flatMap((line) => this.#events.eventsOf(line));
  }

  // A log that grows too long goes on in a new file, and Azkaban shows that one while the job runs.
  async #hasBegunAnew() {
    if (this.#offset === 0) {
      return false;
    }
    const { data } = await this.#azkaban.piece(this.#attempt, 0, HEAD);
    const known = Math.min(data.length, this.#head.length);
    return data.slice(0, known) !== this.#head.slice(0, known);
  }
}

const NOT_STARTED = new Set(['READY', 'PREPARING', 'QUEUED']);
const ENDED = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'CANCELLED', 'SKIPPED', 'DISABLED', 'FAILED_SUCCEEDED']);
const RETRIED = new Set(['FAILED', 'KILLED']);

export class Azkaban {
  /** The more seldom, the longer nothing is written. */
  pause = null;
  /** Azkaban's web server reaches no node. */
  written = null;
  words = {
    nothing: 'The log of this attempt tells nothing of a TonY job. The log in Azkaban says why it ended.',
    incomplete:
      'The beginning of the log is missing: Azkaban keeps the last part of a long log only. What it told is not shown here.',
  };
  #execution;
  #job;
  #updated = null;
  #reader = null;

  /**
   * @param execution the number of the flow's execution
   * @param job its name, with those of the embedded flows that it is in: `flow:job`
   */
  constructor(execution, job) {
    this.#execution = execution;
    this.#job = job;
  }

  /**
   * All attempts of the job, the first at 0: {status, start, end, started, ended, last}, times in ms or null. The last
   * one is known when it has ended well, or when the flow no longer runs as if nothing had failed.
   */
  async attempts() {
    let flow = null;
    let node = null;
    if (this.#updated !== null) {
      // An update leaves out the jobs that have not changed since, but not this one: it asks for a moment before.
      flow = await this.#ask({ ajax: 'fetchexecflowupdate', lastUpdateTime: this.#updated - 1 });
      node = this.#found(flow);
    }
    if (node === null) {
      flow = await this.#ask({ ajax: 'fetchexecflow' });
      node = this.#found(flow);
    }
    if (node === null) {
      throw new Refused(`Execution ${this.#execution} has no job ${this.#job}.`);
    }
    this.#updated = Math.max(0, Number(node.updateTime) || 0);
    const attempts = Array.from({ length: Number(node.attempt) || 0 }, (none, number) =>
      attempt((node.pastAttempts ?? []).find((past) => past.attempt === number) ?? { status: 'FAILED', endTime: 1 }),
    );
    const latest = attempt(node);
    latest.last = latest.ended && !(RETRIED.has(latest.status) && flow.status === 'RUNNING');
    return [...attempts, latest];
  }

  /** Some of the log: {offset, length} in bytes, and {data}; its length is 0 where there is no more. */
  async piece(attempt, offset, length) {
    const answer = await this.#ask({ ajax: 'fetchExecJobLogs', jobId: this.#job, attempt, offset, length });
    return { offset: Number(answer.offset), length: Number(answer.length), data: String(answer.data ?? '') };
  }

  // The job in the tree of the flow and those embedded in it.
  #found(flow) {
    return this.#job.split(':').reduce((node, name) => (node?.nodes ?? []).find((one) => one.id === name) ?? null, flow);
  }

  reader(attempt) {
    const query = { execid: this.#execution, jobid: this.#job, attempt };
    this.#reader = new RecalledLog(new LogReader(this, attempt), query);
    return this.#reader;
  }

  get origin() {
    return this.#reader?.origin ?? null;
  }

  get title() {
    return this.#job;
  }

  get path() {
    const execution = address('../executor', { execid: this.#execution });
    return [
      { label: 'Azkaban', href: '../' },
      { label: `Execution ${this.#execution}`, href: execution },
    ];
  }

  log(attempt) {
    const href = address('../executor', { execid: this.#execution, job: this.#job, attempt });
    return { label: 'Log in Azkaban', href };
  }

  async #ask(parameters) {
    let response;
    try {
      response = await fetch(address('../executor', { execid: this.#execution, ...parameters }), { cache: 'no-store' });
    } catch (e) {
      throw new Unreachable('Azkaban does not answer.');
    }
    if (response.status === 401 || response.status === 403) {
      throw new SessionExpired('Azkaban wants a login.');
    }
    if (!response.ok) {
      throw new Unreachable(`Azkaban answered with HTTP status ${response.status}.`);
    }
    let answer;
    try {
      answer = JSON.parse(await response.text());
    } catch (e) {
      // The page to log in, where an answer was expected.
      throw new SessionExpired('Azkaban answered with a page instead of data.');
    }
    if (answer.error === 'session') {
      throw new SessionExpired('The session is over.');
    }
    if (answer.error !== undefined) {
      throw new Refused(String(answer.error));
    }
    return answer;
  }
}

function address(path, parameters) {
  return `${path}?${new URLSearchParams(parameters)}`;
}

function attempt(node) {
  const time = (millis) => (Number(millis) > 0 ? Number(millis) : null);
  const status = String(node.status);
  return {
    status,
    start: time(node.startTime),
    end: time(node.endTime),
    started: !NOT_STARTED.has(status),
    ended: ENDED.has(status) || time(node.endTime) !== null,
    last: false,
  };
}
