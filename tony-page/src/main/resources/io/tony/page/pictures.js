// The figures of the page. They are costly, so they are redrawn only after new events, and at a limited rate.

import { chart, exact } from './chart.js';
import { element, setText } from './dom.js';
import { figures } from './gantt.js';
import { goodputBar, goodputLine } from './goodput.js';

/** Minimum milliseconds between two redraws before the last one. */
const REDRAW_MS = 1_000;

export class Pictures {
  #part;
  #redraw;
  /** What the figures show: the number of events, and the time at which the axes begin. */
  #shown = '';
  #drawn = -Infinity;
  #later = null;

  /**
   * @param part returns the element with an id
   * @param redraw requests that the whole page is redrawn
   */
  constructor(part, redraw) {
    this.#part = part;
    this.#redraw = redraw;
  }

  begin() {
    this.#shown = '';
    this.#drawn = -Infinity;
    for (const id of ['goodput-bar', 'curve-charts', 'spans', 'charts']) {
      this.#part(id).replaceChildren();
    }
    for (const id of ['goodput', 'curves', 'times', 'usage']) {
      this.#part(id).hidden = true;
    }
  }

  /**
   * @param start start of the attempt in ms since 1970; null if unknown
   * @param last whether no more events will come
   */
  draw(job, start, last) {
    const since = Math.min(start ?? Infinity, job.began);
    const shown = `${job.events} ${since}`;
    if (job.events === 0 || shown === this.#shown) {
      return;
    }
    const now = performance.now();
    if (!last && now - this.#drawn < REDRAW_MS) {
      this.#later ??= setTimeout(() => {
        this.#later = null;
        this.#redraw();
      }, REDRAW_MS);
      return;
    }
    this.#shown = shown;
    this.#drawn = now;
    this.#drawGoodput(job);
    this.#drawCurves(job, since);
    this.#drawTimes(job, since);
    this.#drawUsage(job, since);
  }

  #drawGoodput({ goodput }) {
    this.#part('goodput').hidden = goodput === null;
    if (goodput !== null) {
      setText(this.#part('goodput-line'), goodputLine(goodput));
      this.#part('goodput-bar').replaceChildren(goodputBar(goodput));
    }
  }

  #drawCurves(job, since) {
    const charts = job.curves.charts();
    this.#part('curves').hidden = charts.length === 0;
    this.#part('curve-charts').replaceChildren(
      ...charts.map(({ name, lines, marks }) =>
        chart({ title: name, description: `${name} over time`, unit: '', lines, marks, fromZero: false, number: exact }, since),
      ),
    );
  }

  #drawTimes(job, since) {
    this.#part('times').hidden = job.tasks.size === 0;
    if (job.tasks.size > 0) {
      this.#part('spans').replaceChildren(...figures(job, since));
    }
  }

  #drawUsage(job, since) {
    const charts = job.metrics.charts();
    this.#part('usage').hidden = charts.length === 0;
    const roles = new Set(charts.map(({ role }) => role));
    const drawn = ({ role, measure: { name, unit }, lines }) =>
      chart({ title: `${role}: ${name}, ${unit}`, description: `${name} of ${role} over time, in ${unit}`, unit, lines }, since);
    this.#part('charts').replaceChildren(
      ...[...roles].map((role) =>
        element('div', { class: 'charts' }, ...charts.filter((one) => one.role === role).map(drawn)),
      ),
    );
  }
}
