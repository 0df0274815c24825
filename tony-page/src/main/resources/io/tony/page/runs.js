// Plots one figure of several runs, the oldest at the left. An outlier has another shape, not only another colour.

import { plain, ticks } from './chart.js';
import { element, svgElement } from './dom.js';
import { duration } from './text.js';

const WIDTH = 720;
const HEIGHT = 190;
const LEFT = 84;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 30;
const SIZE = 5;

/** Round distances of the grid lines of a time axis, in seconds. */
const ROUND = [1, 2, 5, 10, 15, 30, ...[1, 2, 5, 10, 15, 30].map((one) => one * 60), ...[1, 2, 3, 6, 12, 24].map((one) => one * 3600)];

const MARKS = { high: '▲ high', low: '▼ low' };

/** Formats a value; empty for null. The unit is added only for `seconds` and `share`, as other names include it. */
export function figure(value, unit) {
  if (value === null) {
    return '';
  }
  if (unit === 'seconds') {
    return value < 60 ? `${plain(value)} s` : duration(value * 1000);
  }
  return unit === 'share' ? `${plain(value * 100)} %` : precise(value);
}

// A value may be as small as a learning rate.
function precise(value) {
  return value !== 0 && Math.abs(value) < 0.1 ? String(Number(value.toPrecision(3))) : plain(value);
}

/** The sign and name of an outlier; empty for a usual value. */
export function mark(deviation) {
  return MARKS[deviation] ?? '';
}

/**
 * A figure of the runs that have a value.
 *
 * @param column {name, unit, values, standings}, the newest run first
 * @param runs {title, href} of each run
 */
export function plot({ name, unit, values, standings }, runs) {
  const shown = values.map((value, at) => ({ value, at })).filter(({ value }) => value !== null);
  const numbers = shown.map(({ value }) => value);
  const low = Math.min(0, ...numbers);
  const marks = scale(low, Math.max(0, ...numbers), unit);
  const [bottom, top] = [marks[0], marks.at(-1)];
  const x = (at) => WIDTH - RIGHT - SIZE - (at / Math.max(1, values.length - 1)) * (WIDTH - LEFT - RIGHT - 2 * SIZE);
  const y = (value) => HEIGHT - BOTTOM - ((value - bottom) / (top - bottom)) * (HEIGHT - TOP - BOTTOM);

  const image = svgElement('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': `${name} of each run` });
  for (const value of marks) {
    image.append(
      svgElement('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svgElement('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, figure(value, unit)),
    );
  }
  image.append(
    svgElement('text', { class: 'axis', x: LEFT, y: HEIGHT - 6 }, 'older'),
    svgElement('text', { class: 'axis', x: WIDTH - RIGHT, y: HEIGHT - 6, 'text-anchor': 'end' }, 'newest'),
    svgElement('polyline', {
      class: 'line line-0 faint',
      points: shown.map(({ value, at }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' '),
    }),
  );
  for (const { value, at } of shown.reverse()) {
    const label = [runs[at].title, `${name} ${figure(value, unit)}`, mark(standings[at])].filter((one) => one).join(', ');
    image.append(
      svgElement(
        'a',
        { href: runs[at].href, 'aria-label': label },
        svgElement('title', {}, label),
        shape(standings[at], x(at), y(value)),
      ),
    );
  }
  return element('figure', { class: 'chart runs' }, element('figcaption', {}, `${name} of each run`), image);
}

function shape(deviation, x, y) {
  if (deviation === 'usual') {
    return svgElement('circle', { class: 'run', cx: x, cy: y, r: SIZE - 1 });
  }
  const tip = deviation === 'high' ? -SIZE * 1.5 : SIZE * 1.5;
  const points = [
    [x, y + tip],
    [x - SIZE * 1.5, y - tip],
    [x + SIZE * 1.5, y - tip],
  ];
  return svgElement('polygon', { class: 'run out', points: points.map(([one, other]) => `${one.toFixed(1)},${other.toFixed(1)}`).join(' ') });
}

// The larger side of 0 determines the distance of the lines; the other side gets as many lines as it needs.
function scale(low, high, unit) {
  const far = Math.max(high, -low);
  const step = (unit === 'seconds' && ROUND.find((one) => one * 5 >= far)) || ticks(far)[1];
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(6)));
}
