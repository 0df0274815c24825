// The states of each task over time, and the number of tasks per role and state. No DOM access.

import { DownsampledSeries } from './downsampling.js';

/** The states of a task, in the order of its course. */
export const STATES = ['requested', 'allocated', 'registered', 'running', 'succeeded', 'failed', 'stopped', 'unknown'];
/** Final states. A task is unknown if the job has ended and no event reports the task's end. */
export const ENDED = new Set(['succeeded', 'failed', 'stopped', 'unknown']);

/** Maximum number of kept changes of one task; older ones are dropped. */
const MAX_STEPS = 400;

/** States whose extremes are kept, however short: the number of running and of failed tasks. */
const MEASURED_STATES = ['running', 'failed'];

/** The states of one task: {time, state, start}, oldest first; `start` counts the task's starts from 1. */
export class StateHistory {
  steps = [];
  /** Whether the task has failed at least once. */
  failed = false;

  entered(time, state, start) {
    this.failed ||= state === 'failed';
    this.steps.push({ time, state, start });
    if (this.steps.length > MAX_STEPS) {
      this.steps = this.steps.slice(MAX_STEPS / 2);
    }
  }

  /** The spans to draw: {state, start, from, to}. A waiting task has none; a final state has one of no length. */
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

  /** {time, counts}: a number for each of STATES, valid from this time on. */
  get points() {
    return this.#samples.points;
  }
}

/** The number of tasks per role and state, now and over time. */
export class StateCounts {
  #roles = new Map();

  /**
   * @param from null for a new task
   * @param to null for a removed task
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

  /** [state, number of tasks] of each state that has tasks. */
  counts() {
    const roles = [...this.#roles.values()];
    return STATES.map((state) => [state, roles.reduce((sum, { now }) => sum + now.get(state), 0)]).filter(
      ([, number]) => number > 0,
    );
  }

  /** {role, points}, in the order in which the roles first occurred. */
  roles() {
    return [...this.#roles].map(([role, { points }]) => ({ role, points }));
  }
}
