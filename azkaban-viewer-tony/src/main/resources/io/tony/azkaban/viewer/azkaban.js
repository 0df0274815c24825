// What the page asks Azkaban for: the state of a job and pieces of its log, with the session of whoever looks.

/** Azkaban wants a login before it answers. */
export class SessionExpired extends Error {}

/** No answer, or one that says that the server failed: the next one may be better. */
export class Unreachable extends Error {}

/** Azkaban understood and said no. */
export class Refused extends Error {}

const NOT_STARTED = new Set(['READY', 'PREPARING', 'QUEUED']);
const ENDED = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'CANCELLED', 'SKIPPED', 'DISABLED', 'FAILED_SUCCEEDED']);
const RETRIED = new Set(['FAILED', 'KILLED']);

export class Azkaban {
  #execution;
  #job;
  #updated = null;

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
  async log(attempt, offset, length) {
    const answer = await this.#ask({ ajax: 'fetchExecJobLogs', jobId: this.#job, attempt, offset, length });
    return { offset: Number(answer.offset), length: Number(answer.length), data: String(answer.data ?? '') };
  }

  // The job in the tree of the flow and those embedded in it.
  #found(flow) {
    return this.#job.split(':').reduce((node, name) => (node?.nodes ?? []).find((one) => one.id === name) ?? null, flow);
  }

  get executionPage() {
    return address('../executor', { execid: this.#execution });
  }

  logPage(attempt) {
    return address('../executor', { execid: this.#execution, job: this.#job, attempt });
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
