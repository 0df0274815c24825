// When each task was in which state, and how many tasks of a role were. Nothing here touches the page.

import { DownsampledSeries } from './downsampling.js';

/** The states of a task, in the order of its life. */
export const STATES = ['requested', 'allocated', 'registered', 'running', 'succeeded', 'failed', 'stopped', 'unknown'];
/** Of a task that is unknown, its job has ended and nothing tells how the task has. */
export const ENDED = new Set(['succeeded', 'failed', 'stopped', 'unknown']);

/** The last steps of a task that is started again and again. */
const MAX_STEPS = 400;

/** What shows how a role fares, however short it was: how many tasks run, and how many have failed. */
const MEASURED_STATES = ['running', 'failed'];

/** The life of one task: {time, state, start}, oldest first; start counts its starts from 1. */
export class StateHistory {
  steps = [];
  /** Whether it has failed at least once. */
  failed = false;

  entered(time, state, start) {
    this.failed ||= state === 'failed';
    this.steps.push({ time, state, start });
    if (this.steps.length > MAX_STEPS) {
      this.steps = this.steps.slice(MAX_STEPS / 2);
    }
  }

  /**
   * What to draw of it: {state, start, from, to}. A task that only waits has no bar; one that has ended has an end, of
   * no length.
   */
  spans(until) {
    return this.steps
      .map(({ time, state, start }, position) => {
        const to = this.steps[position + 1]?.time ?? until;
        return { state, start, from: time, to: ENDED.has(state) ? time : Math.max(time, to) };
      })
      .filter(({ state }) => state !== 'requested');
  }
}

class Role {
  now = new Map(STATES.map((state) => [state, 0]));
  #samples = new DownsampledSeries(({ counts }) => MEASURED_STATES.map((state) => counts[STATES.indexOf(state)]));

  changed(time) {
    this.#samples.add({ time, counts: [...this.now.values()] });
  }

  /** {time, counts}: a number for each of STATES, true from this time on. */
  get points() {
    return this.#samples.points;
  }
}

/** How many tasks of each role are in which state, now and over time. */
export class StateCounts {
  #roles = new Map();

  /**
   * @param from null for a task that was not known
   * @param to null for one that is gone
   */
  moved(role, from, to, time) {
    const one = this.#roles.get(role) ?? new Role();
    this.#roles.set(role, one);
    if (from !== null) {
      one.now.set(from, one.now.get(from) - 1);
    }
    if (to !== null) {
      one.now.set(to, one.now.get(to) + 1);
    }
    one.changed(time);
  }

  /** [state, number of tasks] of each state that some are in. */
  counts() {
    const roles = [...this.#roles.values()];
    return STATES.map((state) => [state, roles.reduce((sum, { now }) => sum + now.get(state), 0)]).filter(
      ([, number]) => number > 0,
    );
  }

  /** {role, points}, in the order in which roles were first told of. */
  roles() {
    return [...this.#roles].map(([role, { points }]) => ({ role, points }));
  }
}
