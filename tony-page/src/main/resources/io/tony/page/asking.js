// Questions to the server of a page, and the words for what it answers instead. Nothing here touches the page.

import { pausing } from './pausing.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Milliseconds after which what is not there yet is said to be on its way, and those after which it is asked for again. */
const SLOW = 1_000;
const AGAIN = 5_000;

/**
 * A promise of what a server answers, in JSON. Where it says why it does not, those are the words of the error.
 *
 * @param who the server, as a sentence begins with it
 * @param silence what to say where it says nothing, and a later question may have an answer
 * @param signal tells that nobody waits for it any more
 */
export async function ask(who, address, { silence, signal } = {}) {
  let response;
  try {
    response = await fetch(address, { cache: 'no-store', signal });
  } catch (e) {
    throw new Unreachable(silence ?? `${who} does not answer.`);
  }
  const text = await response.text().catch(() => '');
  if (!response.ok) {
    throw refusal(who, silence, response, text);
  }
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new Unreachable(silence ?? `${who} answered with a page instead of data.`);
  }
}

function refusal(who, silence, { status, headers }, text) {
  // A page that a server has for such a case is not shown.
  const told = headers.get('Content-Type')?.startsWith('text/plain') ? text.trim() : '';
  if (status === 401) {
    return new SessionExpired(`${who} wants a login.${told === '' ? '' : ` It says: ${told}`}`);
  }
  if (status === 403) {
    return new Refused(told || `${who} does not show this to you (HTTP status 403). Log in as somebody who may see it.`);
  }
  if (status === 404) {
    return new Refused(
      told || 'This page is about one job. Open it from the tab of the job’s page in Azkaban, or by YARN’s link.',
    );
  }
  const words = `${who} answered with HTTP status ${status}.`;
  return status === 400 ? new Refused(told || words) : new Unreachable(told || silence || words);
}

/** Loads what a page shows: asks again while there is no answer, and forgets a question when another one is asked. */
export class Loading {
  #loads = 0;
  #slow;
  #trouble;
  #done;

  /**
   * @param slow called when an answer takes long
   * @param trouble told in words what is wrong; an empty text where nothing is
   * @param done called when there is an answer, or none for now
   */
  constructor({ slow, trouble, done }) {
    this.#slow = slow;
    this.#trouble = trouble;
    this.#done = done;
  }

  /**
   * @param question gives a promise of the answer
   * @param show told the answer, where nothing else was asked for meanwhile
   */
  async load(question, show) {
    const load = ++this.#loads;
    const wanted = () => load === this.#loads;
    const slow = setTimeout(() => wanted() && this.#slow(), SLOW);
    for (let again = true; again && wanted(); ) {
      again = false;
      try {
        const answer = await question();
        if (wanted()) {
          show(answer);
          this.#trouble('');
        }
      } catch (error) {
        again = error instanceof Unreachable;
        const next = again ? ' The page tries again.' : error instanceof SessionExpired ? ' Log in, and load this page again.' : '';
        if (wanted()) {
          this.#trouble(`${error.message}${next}`);
        }
      }
      clearTimeout(slow);
      if (wanted()) {
        this.#done();
      }
      if (again) {
        await pausing(AGAIN).done;
      }
    }
  }
}
