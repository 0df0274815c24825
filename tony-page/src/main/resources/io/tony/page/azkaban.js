// Source of a job that runs in Azkaban. Reads the job's state and log with the user's Azkaban session.

import { FallbackLog } from './historylog.js';
import { EventReader, Lines } from './log.js';
import { Reasons } from './reasons.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Number of bytes per request. */
const PIECE_BYTES = 500_000;

/**
 * Maximum bytes of one character. Azkaban does not split a character between two pieces, so a full piece may be shorter
 * by this many bytes.
 */
const MAX_CHAR_BYTES = 4;

/** Length of the log's beginning that is compared to detect a new file, in bytes and in characters. */
const HEAD_CHARS = 400;

/** Reads the events of one attempt's log; each read continues where the last one ended. */
class LogReader {
  #azkaban;
  #attempt;
  #offset = 0;
  #lines = new Lines();
  #events = new EventReader();
  #reasons = new Reasons();
  #head = '';
  /** Whether the log has continued in a new file. */
  rotated = false;

  constructor(azkaban, attempt) {
    this.#azkaban = azkaban;
    this.#attempt = attempt;
  }

  /**
   * Yields the new events, one list per piece, up to the log's current end.
   *
   * @param whole whether the log is complete. If not, a piece that is not full is the last one for now: a further
   *     request at once could get half a character, which Azkaban sends corrupted.
   */
  async *news(whole) {
    // Compare even if the log is longer than what was read: a hidden page may not have polled for hours.
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

  /** Whether no part of the log could be read. */
  get empty() {
    return this.#offset === 0;
  }

  /** Whether TonY's client did not submit the job. */
  get refused() {
    return this.#reasons.refused;
  }

  /** Log lines that explain why the attempt ended. */
  get reasons() {
    return this.#reasons.lines;
  }

  #eventsOf(lines) {
    lines.forEach((line) => this.#reasons.add(line));
    return lines.flatMap((line) => this.#events.eventsOf(line));
  }

  // A log that grows too long continues in a new file, and Azkaban serves only that file while the job runs.
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

/** Hint for a job name that is not encoded in the address. */
const ENCODE = 'In the address, the characters & % # + of its name are written %26 %25 %23 %2B.';

/** Statuses of a flow in which no further step starts. */
const FLOW_ENDED = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'CANCELLED', 'EXECUTION_STOPPED']);

/** Why a step with the status did not start. Azkaban gives a skipped step equal start and end times, and no log. */
const NO_START_REASONS = {
  __proto__: null,
  CANCELLED:
    'This step did not start: Azkaban cancelled it. A step before it failed, its condition was not met, or the flow was killed.',
  DISABLED: 'This step does not start: it is disabled in this execution.',
  KILLED: 'This step did not start: it was killed in Azkaban while it still waited.',
  SKIPPED: 'This step did not start: Azkaban skipped it, because it is disabled in this execution.',
};

export class Azkaban {
  /** Not fixed: the follower waits longer while there are no new events. */
  pause = null;
  /** None: Azkaban's web server cannot reach the nodes. */
  taskLog = null;
  successor = null;
  labels = {
    incomplete:
      'The beginning of the log is missing: Azkaban keeps the last part of a long log only. What it reported is not shown here.',
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
   * @param execution number of the flow's execution
   * @param job name, prefixed by the embedded flows that contain the job: `flow:job`
   * @param address full address of the page, from which the name was read
   */
  constructor(execution, job, address) {
    this.#execution = execution;
    this.#job = job;
    this.#address = address;
  }

  /**
   * Returns a promise of all attempts, the first at 0: {status, start, end, started, ended, last}, times in ms since
   * 1970 or null. `last` is true for an ended latest attempt that Azkaban will not retry: one that was neither FAILED
   * nor KILLED, or whose flow is no longer RUNNING.
   */
  async attempts() {
    let flow = null;
    let node = null;
    if (this.#updated !== null) {
      // An update contains only jobs that changed after the given time. Subtract 1 ms, so that it contains this job.
      flow = await this.#request({ ajax: 'fetchexecflowupdate', lastUpdateTime: this.#updated - 1 });
      node = this.#jobNode(flow);
    }
    if (node === null) {
      flow = await this.#request({ ajax: 'fetchexecflow' });
      this.#job = this.#jobName(flow);
      node = this.#jobNode(flow);
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

  /** Reads a part of the log: {offset, length} in bytes, and {data}. The length is 0 at the end of the log. */
  async piece(attempt, offset, length) {
    const answer = await this.#request({ ajax: 'fetchExecJobLogs', jobId: this.#job, attempt, offset, length });
    return { offset: Number(answer.offset), length: Number(answer.length), data: String(answer.data ?? '') };
  }

  // The job's node in the tree of the flow and its embedded flows; null if absent.
  #jobNode(flow) {
    return this.#job.split(':').reduce((node, name) => (node?.nodes ?? []).find((one) => one.id === name) ?? null, flow);
  }

  // Azkaban does not encode the name in its link, so the browser reads another name from `a&b`, `a#b` or `a%b`.
  // Compares the link of each job of the flow with the page's address. Returns the name as given unless exactly one job
  // matches.
  #jobName(flow) {
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
    return { text: `${killed}The log of this attempt has nothing of a TonY job.${why}`, lines, submitted: true };
  }

  log(attempt) {
    const href = address('../executor', { execid: this.#execution, job: this.#job, attempt });
    return { label: 'Log in Azkaban', href };
  }

  async #request(parameters) {
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
      // The login page instead of JSON.
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

/** Azkaban's link to a job, as normalized by the browser. */
function link(name) {
  return new URL(`?jobid=${name}`, location.href).href;
}

/** Everything after `jobid=` in an address, not decoded; empty if absent. */
function nameIn(address) {
  return /[?&]jobid=(.*)$/s.exec(address)?.[1] ?? '';
}

/** Names of all steps of a flow, prefixed by the embedded flows that contain them. */
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
