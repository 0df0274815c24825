// Line charts in SVG. Colours come from the style sheet, which has a light and a dark scheme.

import { element, svgElement } from './dom.js';
import { count, duration, since as sinceWhen } from './text.js';

const WIDTH = 360;
const HEIGHT = 170;
const LEFT = 52;
const RIGHT = 12;
const TOP = 16;
const BOTTOM = 34;

/** Minimum distance between the labels of two marks, in SVG units; a closer label is left out. */
const LABEL = 48;

/** Approximate width of a character of a label, in SVG units. */
const LABEL_CHAR = 6;

/** Maximum number of marks in a chart's description. */
const MAX_LISTED_MARKS = 5;

/** Height and minimum width, in SVG units, of the bar that marks NaN and infinite values. */
const NON_FINITE_SIZE = 5;

/** Maximum number of ticks. Only values that differ by less than their floating-point precision would need more. */
const MAX_TICKS = 12;

/** Formats a number with up to two decimals, fewer for larger numbers: `0.25`, `812`, `12,288`. */
export function plain(number) {
  const digits = number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return Number(number.toFixed(digits)).toLocaleString('en');
}

/** Formats a number with four significant digits or all integer digits: `0.4123`, `12,288`, `3.1e-5`. */
export function exact(number) {
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    return number.toExponential(2).replace(/\.?0+e\+?/, 'e');
  }
  return number.toLocaleString('en', size >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 });
}

/** How programs print a value that is NaN or infinite. */
function nonFiniteName(value) {
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

/** Text for the first of several NaN or infinite points: `nan since 18:02 (step 48,000)`. The step may be null. */
export function nonFiniteText({ time, step, value }) {
  return `${nonFiniteName(value)} since ${sinceWhen(time)}${step === null ? '' : ` (step ${step.toLocaleString('en')})`}`;
}

/** Four or five round values from 0 to at least the maximum. */
export function ticks(maximum) {
  return maximum > 0 ? scale(0, maximum) : [0, 1];
}

/**
 * Round values for an axis that need not begin at 0. It does only if the values then take up at least half of the
 * height.
 */
export function ticksFor(lowest, highest) {
  const span = highest - lowest || Math.abs(lowest) / 10 || 1;
  if (lowest >= 0 && lowest <= highest - lowest) {
    return ticks(highest);
  }
  return highest === lowest ? scale(lowest - span, highest + span) : scale(lowest, highest);
}

function scale(lowest, highest) {
  const rough = (highest - lowest) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const first = Math.floor(lowest / step);
  const values = [Number((step * first).toPrecision(12))];
  while (values.at(-1) < highest && values.length < MAX_TICKS) {
    values.push(Number((step * (first + values.length)).toPrecision(12)));
  }
  return values;
}

/**
 * Draws a figure with one line for each {name, points: [[ms since 1970, value, run], …], firstNonFinite}. A line is
 * interrupted between two runs, because the program was restarted, and at NaN and infinite values, which a bar at the
 * foot marks. `firstNonFinite` is the first of the trailing points that are NaN or infinite; null if the last value is
 * finite.
 *
 * @param marks {time, label}: times to mark on the axis, oldest first
 * @param fromZero whether the axis begins at 0, as for resource usage
 * @param number formats a value
 * @param since time at the left end of the axis, in ms since 1970; the labels of the axis count from there
 */
export function chart({ title, description, unit, lines, marks = [], fromZero = true, number = plain }, since) {
  const points = lines.flatMap((line) => line.points);
  const numbers = points.map(([, value]) => value).filter(Number.isFinite);
  const left = points.reduce((first, [time]) => Math.min(first, time), since);
  const right = points.reduce((last, [time]) => Math.max(last, time), left + 1000);
  const highest = numbers.reduce((max, value) => Math.max(max, value), fromZero ? 0 : -Infinity);
  const lowest = numbers.reduce((min, value) => Math.min(min, value), Infinity);
  const values = fromZero || numbers.length === 0 ? ticks(Math.max(0, highest)) : ticksFor(lowest, highest);
  const [bottom, top] = [values[0], values.at(-1)];
  const x = (time) => LEFT + ((time - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((value - bottom) / (top - bottom || 1)) * (HEIGHT - TOP - BOTTOM);
  const seen = marks.filter(({ time }) => time >= left && time <= right);

  const again = seen.length === 0 ? [] : [`started again ${marksText(seen, left)}`];
  const latest = ({ points, firstNonFinite = null }) =>
    firstNonFinite === null ? number(points.at(-1)[1]) : nonFiniteText(firstNonFinite);
  const last = lines.map((line) => `${line.name} ${latest(line)}`).join(', ');
  const image = svgElement('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'img',
    'aria-label': [description, `at last: ${last}`, ...again].join('; '),
  });
  for (const value of values) {
    image.append(
      svgElement('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svgElement('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, number(value)),
    );
  }
  [0, 0.5, 1].forEach((part, position) => {
    const time = left + part * (right - left);
    const anchor = ['start', 'middle', 'end'][position];
    image.append(
      svgElement('text', { class: 'tick', x: x(time), y: HEIGHT - BOTTOM + 16, 'text-anchor': anchor }, duration(time - left)),
    );
  });
  image.append(
    svgElement('text', { class: 'axis', x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, 'text-anchor': 'middle' }, 'since the start'),
    ...drawnMarks(seen, x),
  );
  lines.forEach((line, position) => image.append(...drawn(line, position, x, y)));

  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, title),
    image,
    element(
      'ul',
      { class: 'legend' },
      ...lines.map((line, position) =>
        element(
          'li',
          {},
          element('span', { class: `swatch line-${position}`, 'aria-hidden': 'true' }),
          `${line.name} `,
          element('b', {}, [latest(line), unit].filter((part) => part !== '').join(' ')),
        ),
      ),
      ...(numbers.length === points.length
        ? []
        : [element('li', {}, element('span', { class: 'swatch strange', 'aria-hidden': 'true' }), 'nan or inf')]),
      ...again.map(() =>
        element('li', {}, element('span', { class: 'swatch mark', 'aria-hidden': 'true' }), `started again ${count(seen.length, 'time')}`),
      ),
    ),
  );
}

/** `after 3 min 05 s (LOST)` for each mark; if there are too many, for the last ones. */
function marksText(marks, left) {
  const labels = marks.slice(-MAX_LISTED_MARKS).map(({ time, label }) => `after ${duration(time - left)} (${label})`);
  return `${marks.length > MAX_LISTED_MARKS ? `${count(marks.length, 'time')}, at last ` : ''}${labels.join(', ')}`;
}

function drawnMarks(marks, x) {
  let free = LEFT;
  return marks.flatMap(({ time, label }, position) => {
    const at = x(time);
    const line = svgElement('line', { class: 'mark', x1: at, x2: at, y1: TOP - 4, y2: HEIGHT - BOTTOM }, svgElement('title', {}, label));
    if (at < free) {
      return [line];
    }
    free = at + LABEL;
    const before = at > WIDTH - RIGHT - LABEL;
    const next = position + 1 < marks.length ? x(marks[position + 1].time) : WIDTH - RIGHT;
    const text = label.length * LABEL_CHAR <= next - at ? label : label.split(',')[0];
    return [line, svgElement('text', { class: 'tick', x: at, y: TOP - 6, 'text-anchor': before ? 'end' : 'start' }, text)];
  });
}

function drawn({ points }, number, x, y) {
  const parts = [];
  points.forEach((point, position) => {
    const before = points[position - 1];
    if (position === 0 || point[2] !== before[2] || Number.isFinite(point[1]) !== Number.isFinite(before[1])) {
      parts.push([]);
    }
    parts.at(-1).push(point);
  });
  return parts.map((part) => (Number.isFinite(part[0][1]) ? drawnLine(part, number, x, y) : drawnNonFinite(part, x)));
}

function drawnLine(points, number, x, y) {
  return points.length === 1
    ? svgElement('circle', { class: `line line-${number}`, cx: x(points[0][0]), cy: y(points[0][1]), r: 3 })
    : svgElement('polyline', {
        class: `line line-${number}`,
        points: points.map(([at, one]) => `${x(at).toFixed(2)},${y(one).toFixed(2)}`).join(' '),
      });
}

function drawnNonFinite(points, x) {
  const from = x(points[0][0]);
  const width = x(points.at(-1)[0]) - from;
  const names = [...new Set(points.map(([, value]) => nonFiniteName(value)))].join(', ');
  return svgElement(
    'rect',
    {
      class: 'strange',
      x: from - NON_FINITE_SIZE / 2,
      y: HEIGHT - BOTTOM - NON_FINITE_SIZE,
      width: width + NON_FINITE_SIZE,
      height: NON_FINITE_SIZE,
    },
    svgElement('title', {}, names),
  );
}
