// The figures of the page. They cost more than its text: they are drawn when there is something new, at a pace.

import { chart, exact } from './chart.js';
import { element, setText } from './dom.js';
import { figures } from './gantt.js';
import { goodputBar, goodputLine } from './goodput.js';

/** Milliseconds between two drawings while a long log is read. */
const REDRAW_MS = 1_000;

export class Pictures {
  #part;
  #redraw;
  /** What the figures show: the number of events, and the time that they begin at. */
  #shown = '';
  #drawn = -Infinity;
  #later = null;

  /**
   * @param part finds the element with an id
   * @param again asks for all to be drawn again
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
   * @param start when the attempt began, in milliseconds since 1970, or null where that is not known
   * @param last whether nothing more is to come
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
