// A job whose events are served beside this page: by its ApplicationMaster while it runs, or by the history.

import { eventOf } from './log.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Events that are read in one go: an answer may have thousands. */
const SLICE = 500;

/** Milliseconds from an answer to the next question: it is there in time for what follows. */
const BREATH = 50;

/** Milliseconds in which another ApplicationMaster would have taken the job over. */
const GIVEN_UP = 600_000;

export class Served {
  words = {
    nothing: 'Nothing is recorded of this job.',
    incomplete: 'The first events of this job are missing.',
  };
  #about = null;
  #status = 'RUNNING';
  #start = null;
  #last = null;
  #ended = false;
  #pause = BREATH;

  get title() {
    return this.#about?.name || 'Job';
  }

  get path() {
    return this.#about?.path ?? [];
  }

  log() {
    return null;
  }

  /** An ApplicationMaster waits for news before it answers; the history says how long to wait. */
  get pause() {
    return this.#pause;
  }

  async attempts() {
    this.#about ??= await ask('job');
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

  reader() {
    return new ServedEvents(this.#about, (events, answer) => this.#told(events, answer));
  }

  // The end may have been told by no event: nobody wrote one when the last ApplicationMaster was lost. Nor may anybody
  // be there to say that no more will come, when an event tells the end: an ApplicationMaster is gone soon after it.
  #told(events, { finished, status, pause }) {
    this.#pause = Math.max(BREATH, pause ?? 0);
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
      this.#ended = true;
    }
  }
}

/** Asks for the events that follow those that it has. */
class ServedEvents {
  #about;
  #told;
  #from = 0;
  #teller = null;
  #silentSince = null;

  constructor(about, told) {
    this.#about = about;
    this.#told = told;
  }

  /** The server answers at once where there is something to tell, and else when there is, or after some seconds. */
  async *news(whole) {
    if (whole) {
      return;
    }
    const answer = await this.#ask();
    const another = answer.teller !== this.#teller && this.#from > 0;
    this.#teller = answer.teller;
    if (another || answer.from !== this.#from) {
      // An ApplicationMaster that was lost may have told more than it wrote: all is asked for again.
      this.#from = 0;
      return;
    }
    const first = this.#from;
    this.#from += answer.events.length;
    for (let begin = 0; begin === 0 || begin < answer.events.length; begin += SLICE) {
      const end = begin + SLICE;
      const events = answer.events.slice(begin, end).map(eventOf).filter((event) => event !== null);
      this.#told(events, end < answer.events.length ? {} : answer);
      yield first + begin === 0 ? [this.#submitted(events[0]?.time ?? Date.now()), ...events] : events;
    }
  }

  end() {
    return [];
  }

  async #ask() {
    try {
      const answer = await ask(`events?from=${this.#from}`);
      this.#silentSince = null;
      return answer;
    } catch (e) {
      this.#silentSince ??= Date.now();
      if (e instanceof Unreachable && Date.now() - this.#silentSince > GIVEN_UP) {
        throw new Refused('Nobody has answered for 10 minutes. The job may have ended: load this page again.');
      }
      throw e;
    }
  }

  // The log begins with the ApplicationMaster; what came before it is known here as well.
  #submitted(time) {
    const { application = '', queue = '' } = this.#about;
    const details = new Map(Object.entries({ application, queue }));
    return { time, type: 'JOB_SUBMITTED', session: 0, task: null, details };
  }
}

async function ask(address) {
  let response;
  try {
    response = await fetch(address, { cache: 'no-store' });
  } catch (e) {
    throw new Unreachable('The server of this page does not answer.');
  }
  if (response.status === 401) {
    throw new SessionExpired('The server of this page wants a login.');
  }
  if (response.status === 404) {
    throw new Refused('This page is about one job. Open it from the tab of the job’s page in Azkaban, or by YARN’s link.');
  }
  const text = await response.text().catch(() => '');
  if (response.status === 403) {
    throw new Refused(text);
  }
  try {
    if (response.ok) {
      return JSON.parse(text);
    }
  } catch (e) {
    // YARN's own page, where the ApplicationMaster's was.
  }
  throw new Unreachable('The ApplicationMaster does not answer: the job has ended, or another one takes it over.');
}
