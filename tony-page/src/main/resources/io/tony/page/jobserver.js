// Source of a job whose events are served beside this page: by its ApplicationMaster while it runs, or by the history.

import { eventOf } from './log.js';
import { request } from './requests.js';
import { Refused, Unreachable } from './source.js';

/** Maximum number of events that are processed at once; an answer may have thousands. */
const SLICE = 500;

/** Minimum milliseconds from an answer to the next request. Short, so that the request waits at the server in time. */
const MIN_PAUSE_MS = 50;

/** Milliseconds without an answer after which the job is given up; another ApplicationMaster would have taken over. */
const GIVE_UP_MS = 600_000;

const LOST_MESSAGE = 'The end of this job is not recorded, and no process writes its event log any more.';

export class ServedJob {
  origin = null;
  hasGap = false;
  labels = {
    incomplete: 'The first events of this job are missing.',
    gap: '',
    took: 'Took, from submission to end',
  };
  #jobInfo = null;
  /** The server's message on an end that no event reports. */
  #message = '';
  #status = 'RUNNING';
  #start = null;
  #last = null;
  #ended = false;
  #pause = MIN_PAUSE_MS;
  #silentSince = null;

  get title() {
    return this.#jobInfo?.name || 'Job';
  }

  get path() {
    return this.#jobInfo?.path ?? [];
  }

  log() {
    return null;
  }

  explain() {
    const lost = this.#status === 'LOST' ? LOST_MESSAGE : 'Nothing is recorded of this job.';
    return { text: this.#message || lost, lines: [], submitted: true };
  }

  /** Only an ApplicationMaster, which exits soon after the job's end, gives the job's address in the history. */
  get successor() {
    return this.#jobInfo?.history ?? null;
  }

  /** An ApplicationMaster delays its answer until there is news; the history's answer has the time to wait. */
  get pause() {
    return this.#pause;
  }

  async attempts() {
    this.#jobInfo ??= await this.#request('job');
    return [
      {
        status: this.#status,
        start: this.#start,
        end: this.#ended ? this.#last : null,
        started: true,
        ended: this.#ended,
        last: true,
      },
    ];
  }

  taskLog({ event, container }, file, from, signal) {
    return this.#request(`log?${new URLSearchParams({ container, event, file, from })}`, signal);
  }

  reader() {
    const events = new EventFeed(
      (from) => this.#events(from),
      () => this.#jobInfo,
      (some, answer) => this.#recordEvents(some, answer),
    );
    return {
      // The server answers at once if there are events, else when there are, or after some seconds.
      async *news(whole) {
        if (!whole) {
          yield* events.next();
        }
      },
      end: () => [],
    };
  }

  async #events(from) {
    try {
      const answer = await this.#request(`events?from=${from}`);
      this.#silentSince = null;
      return answer;
    } catch (e) {
      this.#silentSince ??= Date.now();
      if (e instanceof Unreachable && Date.now() - this.#silentSince > GIVE_UP_MS) {
        throw new Refused('Nobody has answered for 10 minutes. The job may have ended: load this page again.');
      }
      throw e;
    }
  }

  // If the last ApplicationMaster was lost, no event reports the end, but `finished` does. If an event reports the end,
  // there may be no `finished`, because the ApplicationMaster exits soon after.
  #recordEvents(events, { finished, status, message, pause }) {
    this.#pause = Math.max(MIN_PAUSE_MS, pause ?? 0);
    for (const { type, time, details } of events) {
      this.#start ??= Date.parse(details.get('submitted')) || time;
      this.#last = time;
      if (type === 'JOB_STOPPING' || type === 'JOB_FINISHED') {
        this.#status = details.get('status') ?? this.#status;
        this.#ended = type === 'JOB_FINISHED';
      }
    }
    if (finished) {
      this.#status = status ?? this.#status;
      this.#message = message ?? this.#message;
      this.#ended = true;
    }
  }

  #request(address, signal) {
    if (this.#jobInfo === null) {
      return request('The server of this page', address, { signal });
    }
    if (this.successor === null) {
      return request('The history', address, { signal });
    }
    // A server that is gone sends no text: YARN's own page, or none, takes its place.
    const why = this.#ended ? 'the job has ended' : 'the job has ended, or another one takes it over';
    const unreachableMessage = `The ApplicationMaster does not answer: ${why}.`;
    return request('The ApplicationMaster', address, { unreachableMessage, signal });
  }
}

/** Requests the events that follow those already read, in the format in which they are served. */
export class EventFeed {
  #request;
  #jobInfo;
  #onEvents;
  #from = 0;
  #responder = null;

  /**
   * @param request returns a promise of an answer that begins with the event of the given number
   * @param jobInfo returns the job's {application, queue}, once there was an answer
   * @param onEvents called with events as they are read, and with the other fields of the answer at its last events
   */
  constructor(request, jobInfo, onEvents) {
    this.#request = request;
    this.#jobInfo = jobInfo;
    this.#onEvents = onEvents;
  }

  /** Yields the events of one answer. */
  async *next() {
    const answer = await this.#request(this.#from);
    const another = answer.teller !== this.#responder && this.#from > 0;
    this.#responder = answer.teller;
    if (another || answer.from !== this.#from) {
      // A lost ApplicationMaster may have served events that it did not write: request all again.
      this.#from = 0;
      return;
    }
    const first = this.#from;
    this.#from += answer.events.length;
    for (let begin = 0; begin === 0 || begin < answer.events.length; begin += SLICE) {
      const end = begin + SLICE;
      const events = answer.events
        .slice(begin, end)
        .map((event, position) => numbered(eventOf(event), first + begin + position))
        .filter((event) => event !== null);
      this.#onEvents(events, end < answer.events.length ? {} : answer);
      yield first + begin === 0 ? [this.#submission(events[0]?.time ?? Date.now()), ...events] : events;
    }
  }

  // The log begins with the ApplicationMaster; the submission before it is known from the job's description.
  #submission(time) {
    const { application = '', queue = '' } = this.#jobInfo();
    const details = new Map(Object.entries({ application, queue }));
    return { time, type: 'JOB_SUBMITTED', session: 0, task: null, details };
  }
}

function numbered(event, number) {
  return event === null ? null : { ...event, number };
}
