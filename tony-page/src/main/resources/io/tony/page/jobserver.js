// A job whose events are served beside this page: by its ApplicationMaster while it runs, or by the history.

import { request } from './requests.js';
import { eventOf } from './log.js';
import { Refused, Unreachable } from './source.js';

/** Events that are read in one go: an answer may have thousands. */
const SLICE = 500;

/** Milliseconds from an answer to the next question: it is there in time for what follows. */
const MIN_PAUSE_MS = 50;

/** Milliseconds in which another ApplicationMaster would have taken the job over. */
const GIVE_UP_MS = 600_000;

const LOST_MESSAGE = 'The end of this job is not recorded, and nobody writes its event log any more.';

export class ServedJob {
  origin = null;
  hasGap = false;
  labels = {
    incomplete: 'The first events of this job are missing.',
    gap: '',
    took: 'Took, from submission to end',
  };
  #jobInfo = null;
  /** What the server says of the end that no event tells. */
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

  /** Only an ApplicationMaster, which is gone soon after the end, says where the history has the job. */
  get successor() {
    return this.#jobInfo?.history ?? null;
  }

  /** An ApplicationMaster waits for news before it answers; the history says how long to wait. */
  get pause() {
    return this.#pause;
  }

  async attempts() {
    this.#jobInfo ??= await this.#ask('job');
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
    return this.#ask(`log?${new URLSearchParams({ container, event, file, from })}`, signal);
  }

  reader() {
    const events = new EventFeed(
      (from) => this.#events(from),
      () => this.#jobInfo,
      (some, answer) => this.#recordEvents(some, answer),
    );
    return {
      // The server answers at once where there is something to tell, and else when there is, or after some seconds.
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
      const answer = await this.#ask(`events?from=${from}`);
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

  // The end may have been told by no event: nobody wrote one when the last ApplicationMaster was lost. Nor may anybody
  // be there to say that no more will come, when an event tells the end: an ApplicationMaster is gone soon after it.
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

  #ask(address, signal) {
    if (this.#jobInfo === null) {
      return request('The server of this page', address, { signal });
    }
    if (this.successor === null) {
      return request('The history', address, { signal });
    }
    // One that is gone says nothing: YARN's own page, or none, is there instead.
    const why = this.#ended ? 'the job has ended' : 'the job has ended, or another one takes it over';
    return request('The ApplicationMaster', address, { unreachableMessage: `The ApplicationMaster does not answer: ${why}.`, signal });
  }
}

/** Asks for the events that follow those that it has, in the form in which they are served. */
export class EventFeed {
  #ask;
  #jobInfo;
  #onEvents;
  #from = 0;
  #responder = null;

  /**
   * @param ask gives a promise of an answer that begins with the event of a number
   * @param about gives {application, queue} of the job, once there was an answer
   * @param told hears of events as they are read, and with the last ones of an answer of the rest of it
   */
  constructor(request, jobInfo, onEvents) {
    this.#ask = request;
    this.#jobInfo = jobInfo;
    this.#onEvents = onEvents;
  }

  /** The events of one answer. */
  async *next() {
    const answer = await this.#ask(this.#from);
    const another = answer.teller !== this.#responder && this.#from > 0;
    this.#responder = answer.teller;
    if (another || answer.from !== this.#from) {
      // An ApplicationMaster that was lost may have told more than it wrote: all is asked for again.
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
      yield first + begin === 0 ? [this.#submitted(events[0]?.time ?? Date.now()), ...events] : events;
    }
  }

  // The log begins with the ApplicationMaster; what came before it is known here as well.
  #submitted(time) {
    const { application = '', queue = '' } = this.#jobInfo();
    const details = new Map(Object.entries({ application, queue }));
    return { time, type: 'JOB_SUBMITTED', session: 0, task: null, details };
  }
}

function numbered(event, number) {
  return event === null ? null : { ...event, number };
}
