// Shows where the time of a job went, as a bar and as a line of text.

import { element, svgElement } from './dom.js';
import { count, duration } from './text.js';

/** Minimum share of the bar, from 0 to 1, of a part that has room for its name. */
const MIN_LABEL_SHARE = 0.1;

/** [name, suffix of the CSS class, milliseconds] of each part that is not empty, in the order of a job's course. */
function partsOf({ queue, starting, training, lost, stopping }) {
  return [
    ['queue', 'queue', queue],
    ['starting', 'starting', starting],
    ['trained', 'trained', training],
    ...[...lost].map(([kind, millis]) => [`lost: ${kind}`, 'lost', millis]),
    ['stopping', 'stopping', stopping],
  ].filter(([, , millis]) => millis > 0);
}

const sum = (parts) => parts.reduce((all, [, , millis]) => all + millis, 0);

/** The text as in the log: `goodput 87 %: trained 2 h 10 min; queue 12 min 00 s, lost 6 min 00 s (LOST 6 min 00 s)`. */
export function goodputLine(goodput) {
  const all = sum(partsOf(goodput));
  const lost = [...goodput.lost].filter(([, millis]) => millis > 0);
  const partText = (name, millis) => (millis > 0 ? [`${name} ${duration(millis)}`] : []);
  const parts = [...partText('queue', goodput.queue), ...partText('starting', goodput.starting)];
  if (lost.length > 0) {
    const kinds = lost.map(([kind, millis]) => `${kind} ${duration(millis)}`).join(', ');
    const restarts = goodput.restarts > 0 ? `; ${count(goodput.restarts, 'restart')}` : '';
    const unknown = goodput.byProgress ? '' : '; all since each start, as no progress shows less';
    parts.push(`lost ${duration(lost.reduce((whole, [, millis]) => whole + millis, 0))} (${kinds}${restarts}${unknown})`);
  }
  parts.push(...partText('stopping', goodput.stopping));
  const share = all > 0 ? Math.floor((100 * goodput.training) / all) : 0;
  return `goodput ${share} %: trained ${[duration(goodput.training), ...(parts.length > 0 ? [parts.join(', ')] : [])].join('; ')}`;
}

/** A figure of the parts, as wide as their time, with a legend in the same order. */
export function goodputBar(goodput) {
  const parts = partsOf(goodput);
  const all = sum(parts);
  const image = svgElement('svg', { class: 'bar', role: 'img', 'aria-label': goodputLine(goodput) });
  let begin = 0;
  for (const [name, kind, millis] of parts) {
    const part = millis / all;
    const place = { x: `${(100 * begin).toFixed(3)}%`, width: `${(100 * part).toFixed(3)}%` };
    image.append(svgElement('rect', { class: `part part-${kind}`, ...place, y: 0, height: 26 }, svgElement('title', {}, name)));
    if (part >= MIN_LABEL_SHARE) {
      const middle = `${(100 * (begin + part / 2)).toFixed(3)}%`;
      image.append(svgElement('text', { class: 'name', x: middle, y: 17, 'text-anchor': 'middle' }, name));
    }
    begin += part;
  }
  return element(
    'figure',
    { class: 'goodput' },
    image,
    element(
      'ul',
      { class: 'legend' },
      ...parts.map(([name, kind, millis]) =>
        element(
          'li',
          {},
          element('span', { class: `box part-${kind}`, 'aria-hidden': 'true' }),
          `${name} `,
          element('b', {}, duration(millis)),
          ` (${Math.round((100 * millis) / all)} %)`,
        ),
      ),
    ),
  );
}
