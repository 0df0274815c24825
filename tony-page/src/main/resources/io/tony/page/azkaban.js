// A job of Azkaban's: its state and its log, read with the session of whoever looks.

import { Lines, EventReader } from './log.js';
import { Reasons } from './reasons.js';
import { FallbackLog } from './historylog.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Bytes asked for at once. */
const PIECE_BYTES = 500_000;

/** Azkaban leaves a letter, of so many bytes at most, to the next piece rather than cut it. */
const MAX_CHAR_BYTES = 4;

/** So much of a log's beginning, in bytes, tells whether it is still the same file. */
const HEAD_CHARS = 400;

/** Reads the events of a log from where it was read to. */
class LogReader {
  #azkaban;
  #attempt;
  #offset = 0;
  #lines = new Lines();
  #events = new EventReader();
  #reasons = new Reasons();
  #head = '';
  /** Whether it went on in a new file. */
  rotated = false;

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
    // Also where more is there than was read: a page may not have looked for a night.
    if (await this.#hasRotated()) {
      this.#offset = 0;
      this.#lines = new Lines();
      this.#head = '';
      this.rotated = true;
    }
    let piece = await this.#azkaban.piece(this.#attempt, this.#offset, PIECE_BYTES);
    while (piece.length > 0) {
      this.#offset = piece.offset + piece.length;
      if (this.#head.length < HEAD_CHARS) {
        this.#head += piece.data.slice(0, HEAD_CHARS);
      }
      yield this.#eventsOf(this.#lines.add(piece.data));
      if (!whole && piece.length < PIECE_BYTES - MAX_CHAR_BYTES) {
        return;
      }
      piece = await this.#azkaban.piece(this.#attempt, this.#offset, PIECE_BYTES);
    }
  }

  end() {
    return this.#eventsOf(this.#lines.end());
  }

  /** Whether nothing of it was there. */
  get empty() {
    return this.#offset === 0;
  }

  /** Whether the log says that the job was not submitted. */
  get refused() {
    return this.#reasons.refused;
  }

  /** The lines that say why the attempt has ended. */
  get reasons() {
    return this.#reasons.lines;
  }

  #eventsOf(lines) {
    lines.forEach((line) => this.#reasons.add(line));
    return lines.flatMap((line) => this.#events.eventsOf(line));
  }

  // A log that grows too long goes on in a new file, and Azkaban shows that one while the job runs.
  async #hasRotated() {
    if (this.#offset === 0) {
      return false;
    }
    const { data } = await this.#azkaban.piece(this.#attempt, 0, HEAD_CHARS);
    const common = Math.min(data.length, this.#head.length);
    return data.slice(0, common) !== this.#head.slice(0, common);
  }
}

const NOT_STARTED = new Set(['READY', 'DISPATCHING', 'PREPARING', 'QUEUED']);
const ENDED = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'CANCELLED', 'SKIPPED', 'DISABLED', 'FAILED_SUCCEEDED']);
const RETRIED = new Set(['FAILED', 'KILLED']);
const SUCCESS = new Set(['SUCCEEDED', 'FAILED_SUCCEEDED']);

/** What to do about a name that the address does not hold as it is. */
const ENCODE = 'In the address, the characters & % # + of its name are written %26 %25 %23 %2B.';

/** Of a flow: none of its steps starts any more. */
const FLOW_ENDED = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'CANCELLED', 'EXECUTION_STOPPED']);

/** Why a step with such a status did not start. Azkaban gives one that it passes over a time, and no log. */
const NO_START_REASONS = {
  __proto__: null,
  CANCELLED:
    'This step did not start: Azkaban cancelled it. A step before it failed, its condition was not met, or the flow was killed.',
  DISABLED: 'This step does not start: it is disabled in this execution.',
  KILLED: 'This step did not start: it was killed in Azkaban while it still waited.',
  SKIPPED: 'This step did not start: Azkaban skipped it, because it is disabled in this execution.',
};

export class Azkaban {
  /** The more seldom, the longer nothing is written. */
  pause = null;
  /** Azkaban's web server reaches no node. */
  taskLog = null;
  successor = null;
  labels = {
    incomplete:
      'The beginning of the log is missing: Azkaban keeps the last part of a long log only. What it told is not shown here.',
    gap: 'Azkaban has begun a new file of this log. What was written last into the one before may not be shown here.',
    took: 'Took, from start to end in Azkaban',
  };
  #execution;
  #job;
  #address;
  #updated = null;
  #flowStatus = '';
  #log = null;
  #reader = null;

  /**
   * @param execution the number of the flow's execution
   * @param job its name, with those of the embedded flows that it is in: `flow:job`
   * @param address the whole address of the page, from which the name was read
   */
  constructor(execution, job, address) {
    this.#execution = execution;
    this.#job = job;
    this.#address = address;
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
      this.#job = this.#linked(flow);
      node = this.#found(flow);
    }
    if (node === null) {
      const encoded = nameIn(this.#address) === nameIn(link(this.#job)) ? '' : ` ${ENCODE}`;
      throw new Refused(`Execution ${this.#execution} has no job ${this.#job}.${encoded}`);
    }
    this.#updated = Math.max(0, Number(node.updateTime) || 0);
    const attempts = Array.from({ length: Number(node.attempt) || 0 }, (none, number) =>
      attempt((node.pastAttempts ?? []).find((past) => past.attempt === number) ?? { status: 'FAILED', endTime: 1 }),
    );
    this.#flowStatus = String(flow.status);
    const latest = attempt(node);
    latest.ended ||= !latest.started && FLOW_ENDED.has(this.#flowStatus);
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

  // Azkaban writes a name into its link as it is. Of `a&b`, `a#b` and `a%b` the browser reads another name, so the link
  // of each job of the flow is compared with the address.
  #linked(flow) {
    const addressName = nameIn(this.#address);
    const jobs = namesIn(flow, '').filter((name) => nameIn(link(name)) === addressName);
    return jobs.length === 1 ? jobs[0] : this.#job;
  }

  reader(attempt) {
    const query = { execid: this.#execution, jobid: this.#job, attempt };
    this.#log = new LogReader(this, attempt);
    this.#reader = new FallbackLog(this.#log, query);
    return this.#reader;
  }

  get origin() {
    return this.#reader?.origin ?? null;
  }

  get hasGap() {
    return this.#log?.rotated ?? false;
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

  explain({ status, started }) {
    if (!started) {
      const text = NO_START_REASONS[status] ?? `This step did not start: the flow ended before (${this.#flowStatus}).`;
      return { text: text, lines: [], submitted: false };
    }
    const lines = status === 'SUCCEEDED' ? [] : (this.#log?.reasons ?? []);
    if (lines.length > 0) {
      return { text: 'The job’s log says why:', lines, submitted: !this.#log.refused };
    }
    const killed = status === 'KILLED' ? 'This step was killed in Azkaban. ' : '';
    const why = SUCCESS.has(status) ? '' : ' The log in Azkaban may say why it ended.';
    return { text: `${killed}The log of this attempt tells nothing of a TonY job.${why}`, lines, submitted: true };
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

/** Azkaban's link to a job, as the browser makes an address of it. */
function link(name) {
  return new URL(`?jobid=${name}`, location.href).href;
}

/** The name of a job in an address, as it stands there, with all that follows. */
function nameIn(address) {
  return /[?&]jobid=(.*)$/s.exec(address)?.[1] ?? '';
}

/** The names of all steps of a flow, with those of the embedded flows that they are in. */
function namesIn(flow, prefix) {
  return (flow.nodes ?? []).flatMap((node) => [`${prefix}${node.id}`, ...namesIn(node, `${prefix}${node.id}:`)]);
}

function address(path, parameters) {
  return `${path}?${new URLSearchParams(parameters)}`;
}

function attempt(node) {
  const time = (millis) => (Number(millis) > 0 ? Number(millis) : null);
  const status = String(node.status);
  const start = time(node.startTime);
  const end = time(node.endTime);
  const neverStarted = status in NO_START_REASONS && start === end;
  return {
    status,
    start: neverStarted ? null : start,
    end: neverStarted ? null : end,
    started: !NOT_STARTED.has(status) && !neverStarted,
    ended: ENDED.has(status) || end !== null,
    last: false,
  };
}
