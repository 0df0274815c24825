// Line charts in SVG. Colours are the style sheet's, so that they fit its light and its dark scheme.

import { element, svgElement } from './dom.js';
import { duration } from './text.js';

const WIDTH = 360;
const HEIGHT = 170;
const LEFT = 52;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 34;

/** A number of at most three digits and the least that is needed: `0.25`, `812`, `12,288`. */
export function plain(number) {
  const digits = number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return Number(number.toFixed(digits)).toLocaleString('en');
}

/** Four or five round values from 0 to at least the maximum. */
export function ticks(maximum) {
  if (!(maximum > 0)) {
    return [0, 1];
  }
  const rough = maximum / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const values = [0];
  while (values.at(-1) < maximum) {
    values.push(Number((step * values.length).toPrecision(6)));
  }
  return values;
}

/**
 * A figure with one line for each of {name, points: [[ms, value], …]}.
 *
 * @param since the time at the left end of the axis, in ms; times are shown from there
 */
export function chart({ role, measure, lines }, since) {
  const points = lines.flatMap((line) => line.points);
  const left = points.reduce((first, [time]) => Math.min(first, time), since);
  const right = points.reduce((last, [time]) => Math.max(last, time), left + 1000);
  const values = ticks(points.reduce((highest, [, value]) => Math.max(highest, value), 0));
  const top = values.at(-1);
  const x = (time) => LEFT + ((time - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);

  const image = svgElement('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'img',
    'aria-label': description(role, measure, lines),
  });
  for (const value of values) {
    image.append(
      svgElement('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svgElement('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, plain(value)),
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
  );
  lines.forEach((line, number) => image.append(drawn(line, number, x, y)));

  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, `${role}: ${measure.name}, ${measure.unit}`),
    image,
    legend(lines, measure),
  );
}

function drawn({ points }, number, x, y) {
  const [[time, value]] = points;
  return points.length === 1
    ? svgElement('circle', { class: `line line-${number}`, cx: x(time), cy: y(value), r: 3 })
    : svgElement('polyline', {
        class: `line line-${number}`,
        points: points.map(([at, one]) => `${x(at).toFixed(1)},${y(one).toFixed(1)}`).join(' '),
      });
}

function legend(lines, { unit }) {
  return element(
    'ul',
    { class: 'legend' },
    ...lines.map((line, number) =>
      element(
        'li',
        {},
        element('span', { class: `swatch line-${number}`, 'aria-hidden': 'true' }),
        `${line.name} `,
        element('b', {}, `${plain(line.points.at(-1)[1])} ${unit}`),
      ),
    ),
  );
}

function description(role, measure, lines) {
  const last = lines.map((line) => `${line.name} ${plain(line.points.at(-1)[1])}`).join(', ');
  return `${measure.name} of ${role} over time, in ${measure.unit}; at last: ${last}`;
}
