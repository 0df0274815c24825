// A job whose events are served beside this page: by its ApplicationMaster while it runs, or by the history.

import { eventOf } from './log.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

export class Served {
  waits = true;
  words = {
    nothing: 'Nothing is recorded of this job.',
    incomplete: 'The first events of this job are missing.',
  };
  #about = null;
  #status = 'RUNNING';
  #start = null;
  #end = null;
  #ended = false;

  get title() {
    return this.#about?.name || 'Job';
  }

  get path() {
    return this.#about?.path ?? [];
  }

  log() {
    return null;
  }

  async attempts() {
    this.#about ??= await ask('job');
    return [
      { status: this.#status, start: this.#start, end: this.#end, started: true, ended: this.#ended, last: true },
    ];
  }

  reader() {
    return new ServedEvents(this.#about, (events, answer) => this.#told(events, answer));
  }

  // The server knows of an end that no event tells, too: nobody wrote one when the last ApplicationMaster was lost.
  #told(events, { finished, status }) {
    for (const { type, time, details } of events) {
      this.#start ??= Date.parse(details.get('submitted')) || time;
      if (type === 'JOB_STOPPING' || type === 'JOB_FINISHED') {
        this.#status = details.get('status') ?? this.#status;
      }
      this.#end = time;
    }
    this.#ended = finished;
    if (finished) {
      this.#status = status ?? this.#status;
    } else {
      this.#end = null;
    }
  }
}

/** Asks for the events that follow those that it has. */
class ServedEvents {
  #about;
  #told;
  #from = 0;

  constructor(about, told) {
    this.#about = about;
    this.#told = told;
  }

  /** The server answers at once where there is something to tell, and else when there is, or after some seconds. */
  async *news(whole) {
    while (!whole) {
      const answer = await ask(`events?from=${this.#from}`);
      const events = answer.events.map(eventOf).filter((event) => event !== null);
      if (answer.from !== this.#from) {
        // An ApplicationMaster that was lost had told more than it could write.
        this.#from = 0;
        continue;
      }
      if (this.#from === 0) {
        events.unshift(this.#submitted(events[0]?.time ?? Date.now()));
      }
      const nothing = answer.events.length === 0;
      this.#from += answer.events.length;
      this.#told(events, answer);
      yield events;
      if (answer.finished || nothing) {
        return;
      }
    }
  }

  end() {
    return [];
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
