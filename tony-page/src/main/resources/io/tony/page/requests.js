// Requests to the server of a page, and the messages for failed ones. No DOM access.

import { startPause } from './pause.js';
import { Refused, SessionExpired, Unreachable } from './source.js';

/** Milliseconds after which the page shows that it is loading, and after which a failed request is repeated. */
const SLOW_MS = 1_000;
const RETRY_MS = 5_000;

/**
 * Returns a promise of the JSON that a server answers with. It rejects with an error of source.js, whose message is the
 * server's plain text if there is one.
 *
 * @param serverName subject of the messages, in upper case as at the beginning of a sentence
 * @param unreachableMessage message for an error that may be temporary, if the server sends none
 * @param signal aborts the request
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
  // HTML pages of errors are not shown.
  const serverText = headers.get('Content-Type')?.startsWith('text/plain') ? text.trim() : '';
  if (status === 401) {
    return new SessionExpired(`${serverName} wants a login.${serverText === '' ? '' : ` It says: ${serverText}`}`);
  }
  if (status === 403) {
    return new Refused(serverText || `${serverName} does not show this to you (HTTP status 403). Log in as a user who may see it.`);
  }
  if (status === 404) {
    return new Refused(
      serverText || 'This page is about one job. Open it from the tab of the job’s page in Azkaban, or by YARN’s link.',
    );
  }
  const message = `${serverName} answered with HTTP status ${status}.`;
  return status === 400 ? new Refused(serverText || message) : new Unreachable(serverText || unreachableMessage || message);
}

/** Loads the data of a page. Repeats requests after temporary errors, and drops the answer to an outdated request. */
export class Loader {
  #loads = 0;
  #slow;
  #trouble;
  #done;

  /**
   * @param slow called when an answer takes long
   * @param trouble called with a message for the user; with an empty text after a success
   * @param done called after each answer and each error
   */
  constructor({ slow, trouble, done }) {
    this.#slow = slow;
    this.#trouble = trouble;
    this.#done = done;
  }

  /**
   * @param question returns a promise of the answer
   * @param show called with the answer, unless another load has begun
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
