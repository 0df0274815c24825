// Questions to the server of a page, and the words for what it answers instead. Nothing here touches the page.

import { startPause } from './pause.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Milliseconds after which what is not there yet is said to be on its way, and those after which it is asked for again. */
const SLOW_MS = 1_000;
const RETRY_MS = 5_000;

/**
 * A promise of what a server answers, in JSON. Where it says why it does not, those are the words of the error.
 *
 * @param who the server, as a sentence begins with it
 * @param silence what to say where it says nothing, and a later question may have an answer
 * @param signal tells that nobody waits for it any more
 */
export async function request(serverName, address, { unreachableMessage, signal } = {}) {
  let response;
  try {
    response = await fetch(address, { cache: 'no-store', signal });
  } catch (e) {
    throw new Unreachable(unreachableMessage ?? `${serverName} does not answer.`);
  }
  const text = await response.text().catch(() => '');
  if (!response.ok) {
    throw refusal(serverName, unreachableMessage, response, text);
  }
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new Unreachable(unreachableMessage ?? `${serverName} answered with a page instead of data.`);
  }
}

function refusal(serverName, unreachableMessage, { status, headers }, text) {
  // A page that a server has for such a case is not shown.
  const serverText = headers.get('Content-Type')?.startsWith('text/plain') ? text.trim() : '';
  if (status === 401) {
    return new SessionExpired(`${serverName} wants a login.${serverText === '' ? '' : ` It says: ${serverText}`}`);
  }
  if (status === 403) {
    return new Refused(serverText || `${serverName} does not show this to you (HTTP status 403). Log in as somebody who may see it.`);
  }
  if (status === 404) {
    return new Refused(
      serverText || 'This page is about one job. Open it from the tab of the job’s page in Azkaban, or by YARN’s link.',
    );
  }
  const message = `${serverName} answered with HTTP status ${status}.`;
  return status === 400 ? new Refused(serverText || message) : new Unreachable(serverText || unreachableMessage || message);
}

/** Loads what a page shows: asks again while there is no answer, and forgets a question when another one is asked. */
export class Loader {
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
    const isCurrent = () => load === this.#loads;
    const slow = setTimeout(() => isCurrent() && this.#slow(), SLOW_MS);
    for (let again = true; again && isCurrent(); ) {
      again = false;
      try {
        const answer = await question();
        if (isCurrent()) {
          show(answer);
          this.#trouble('');
        }
      } catch (error) {
        again = error instanceof Unreachable;
        const next = again ? ' The page tries again.' : error instanceof SessionExpired ? ' Log in, and load this page again.' : '';
        if (isCurrent()) {
          this.#trouble(`${error.message}${next}`);
        }
      }
      clearTimeout(slow);
      if (isCurrent()) {
        this.#done();
      }
      if (again) {
        await startPause(RETRY_MS).done;
      }
    }
  }
}
