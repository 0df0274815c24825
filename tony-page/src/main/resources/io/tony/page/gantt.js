// Draws when the tasks got containers, registered, ran and ended: a row per task, for a limited number of tasks, and
// the number of tasks per state for each role.

import { element, svgElement } from './dom.js';
import { STATES } from './taskstates.js';
import { count, duration } from './text.js';

/** Maximum number of rows. If there are more tasks, those that failed or were restarted come first. */
const ROWS = 40;

const WIDTH = 1100;
const LEFT = 130;
const RIGHT = 24;
const ROW = 20;
const BOTTOM = 24;
const AREA = 120;

/** Maximum characters of a task's name; longer names lose their beginning. */
const MAX_NAME_CHARS = 18;

/** Minimum width of a bar, in SVG units, that shows the number of its start. */
const MIN_LABEL_WIDTH = 12;

/** Height of the bar of each state that takes time. The heights differ, so that colour is not the only distinction. */
const HEIGHTS = { allocated: 4, registered: 8, running: 14 };
const ENDS = { succeeded: '✓', failed: '✕', stopped: '■', unknown: '?' };

/** States in the order in which they are stacked, from the bottom. */
const STACK = ['running', 'succeeded', 'registered', 'allocated', 'requested', 'unknown', 'stopped', 'failed'];

/** The tasks to draw: at most ROWS, first those that have failed, then those that were restarted. */
export function shownOf(tasks) {
  const failed = [];
  const restarted = [];
  const others = [];
  for (const task of tasks) {
    const group = task.stateHistory.failed ? failed : task.starts > 1 ? restarted : others;
    if (group.length < ROWS) {
      group.push(task);
    }
  }
  return [...failed, ...restarted, ...others].slice(0, ROWS);
}

/** A time axis at the foot of an image; times are in ms since 1970. */
class Axis {
  constructor(since, until) {
    this.since = since;
    this.until = Math.max(until, since + 1000);
  }

  x(time) {
    const part = (Math.min(Math.max(time, this.since), this.until) - this.since) / (this.until - this.since);
    return LEFT + part * (WIDTH - LEFT - RIGHT);
  }

  drawnAt(foot) {
    return [0, 0.25, 0.5, 0.75, 1].flatMap((part) => {
      const time = this.since + part * (this.until - this.since);
      const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle';
      const x = this.x(time);
      return [
        svgElement('line', { class: 'grid', x1: x, x2: x, y1: 0, y2: foot }),
        svgElement('text', { class: 'tick', x, y: foot + 16, 'text-anchor': anchor }, duration(time - this.since)),
      ];
    });
  }
}

function image(height, label) {
  return svgElement('svg', { class: 'wide', viewBox: `0 0 ${WIDTH} ${height + BOTTOM}`, role: 'img', 'aria-label': label });
}

function key(states) {
  return element(
    'ul',
    { class: 'legend' },
    ...states.map(([state, label, mark]) =>
      element('li', {}, element('span', { class: `box state-${state}`, 'aria-hidden': 'true' }, mark), label),
    ),
  );
}

/** A figure with a row for each task and a bar for each state that takes time. */
export function gantt(tasks, since, until) {
  const axis = new Axis(since, until);
  const foot = tasks.length * ROW;
  const svg = image(foot, `When ${count(tasks.length, 'task')} had a container, registered, ran and ended; the table has their states`);
  svg.append(...axis.drawnAt(foot));
  tasks.forEach((task, position) => svg.append(row(task, position * ROW + ROW / 2, axis)));
  return element(
    'figure',
    { class: 'gantt' },
    element('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Times of the tasks' }, svg),
    key([
      ['allocated', 'has a container', ''],
      ['registered', 'registered', ''],
      ['running', 'running; from the second start on, with its number', ''],
      ['succeeded', 'succeeded', ENDS.succeeded],
      ['failed', 'failed', ENDS.failed],
      ['stopped', 'stopped', ENDS.stopped],
      ...(tasks.some(({ state }) => state === 'unknown') ? [['unknown', 'not known', ENDS.unknown]] : []),
    ]),
  );
}

function row(task, middle, axis) {
  const spans = task.stateHistory.spans(axis.until);
  const name = task.id.length <= MAX_NAME_CHARS ? task.id : `…${task.id.slice(1 - MAX_NAME_CHARS)}`;
  const one = svgElement(
    'g',
    {},
    svgElement('title', {}, rowTitle(task, spans, axis)),
    svgElement('text', { class: 'name', x: LEFT - 8, y: middle + 4, 'text-anchor': 'end' }, name),
  );
  for (const { state, start, from, to } of spans) {
    const x = axis.x(from);
    if (state in ENDS) {
      one.append(svgElement('text', { class: `end state-${state}`, x: x + 2, y: middle + 4 }, ENDS[state]));
      continue;
    }
    const width = Math.max(1, axis.x(to) - x);
    const height = HEIGHTS[state];
    one.append(svgElement('rect', { class: `span state-${state}`, x, y: middle - height / 2, width, height }));
    if (state === 'running' && start > 1 && width >= MIN_LABEL_WIDTH) {
      one.append(svgElement('text', { class: 'start', x: x + 3, y: middle + 4 }, String(start)));
    }
  }
  return one;
}

/** `worker:3: allocated after 4 s, registered after 5 s, …` */
function rowTitle(task, spans, { since }) {
  const parts = spans.map(({ state, start, from }) => `${state}${start > 1 ? ` (start ${start})` : ''} after ${duration(from - since)}`);
  return `${task.id}: ${parts.length === 0 ? task.state : parts.join(', ')}`;
}

/** A figure of the number of tasks of a role per state, as stacked areas. */
export function roleArea({ role, points }, since, until) {
  const axis = new Axis(since, until);
  const all = points.reduce((max, { counts }) => Math.max(max, counts.reduce((sum, one) => sum + one, 0)), 1);
  const now = points.at(-1).counts;
  const states = STACK.filter((state) => points.some(({ counts }) => counts[STATES.indexOf(state)] > 0));
  const entries = states.map((state) => [state, `${state} ${now[STATES.indexOf(state)].toLocaleString('en')}`, '']);
  const svg = image(AREA, `How many tasks of ${role} were in which state over time; at last: ${entries.map(([, label]) => label).join(', ')}`);
  const feet = points.map(() => 0);
  for (const state of states) {
    const under = [...feet];
    points.forEach(({ counts }, position) => {
      feet[position] += counts[STATES.indexOf(state)];
    });
    svg.append(svgElement('path', { class: `span state-${state}`, d: area(points, under, feet, axis, all) }));
  }
  svg.append(
    ...axis.drawnAt(AREA),
    svgElement('text', { class: 'tick', x: LEFT - 8, y: 10, 'text-anchor': 'end' }, all.toLocaleString('en')),
    svgElement('text', { class: 'tick', x: LEFT - 8, y: AREA, 'text-anchor': 'end' }, '0'),
  );
  return element('figure', { class: 'gantt' }, element('figcaption', {}, `${role}: tasks by state`), svg, key(entries.reverse()));
}

// The path of a step function, as each count holds until the next: along the upper edge, and back along the lower one.
function area(points, lower, upper, axis, all) {
  const y = (number) => (AREA - (number / all) * AREA).toFixed(1);
  const from = points.map(({ time }) => axis.x(time).toFixed(1));
  const to = [...from.slice(1), axis.x(axis.until).toFixed(1)];
  const there = upper.map((number, position) => `L${from[position]} ${y(number)}H${to[position]}`);
  const back = lower.map((number, position) => `L${to[position]} ${y(number)}H${from[position]}`).reverse();
  return `M${from[0]} ${y(lower[0])}${there.join('')}${back.join('')}Z`;
}

/** The figures of all tasks: the rows and, if some tasks have none, the areas of each role. */
export function figures(job, since) {
  const tasks = shownOf(job.tasks.values());
  const drawn = gantt(tasks, since, job.time);
  return job.tasks.size <= ROWS ? [drawn] : [...job.stateCounts.roles().map((role) => roleArea(role, since, job.time)), drawn];
}
