// A series that may go on for weeks, in a bounded number of points, and still the same picture. Nothing here touches the page.

/** More parts are joined in pairs. */
const MAX_PARTS = 200;

/**
 * The points of a series. Its time is cut into parts of one width, which doubles as the series grows: all of its time
 * has the same density. Of each part the first and the last point stay, and for each measure those with the lowest and
 * the highest value and the first and the last that is no number, such as NaN. So nothing that a line of that width
 * would show is lost, however short it was.
 */
export class DownsampledSeries {
  #measures;
  /** {index, points}, each with the points that stay in the order in which they came. */
  #parts = [];
  #begin = 0;
  /** Milliseconds; 0 while every time has a part of its own. */
  #width = 0;

  /** @param measures gives the numbers of a point whose extremes stay */
  constructor(measures) {
    this.#measures = measures;
  }

  /** @param point has its {time} in milliseconds, not before that of the point before; an earlier one joins its part */
  add(point) {
    if (this.#parts.length === 0) {
      this.#begin = point.time;
    }
    const last = this.#parts.at(-1);
    const index = this.#indexOf(point);
    if (last !== undefined && index <= last.index) {
      last.points.push(point);
      last.points = this.#extremes(last.points);
      return;
    }
    this.#parts.push({ index, points: [point] });
    if (this.#parts.length > MAX_PARTS) {
      this.#width = Math.max(2 * this.#width, (2 * (point.time - this.#begin)) / MAX_PARTS);
      this.#join();
    }
  }

  /** The points that stay, oldest first. */
  get points() {
    return this.#parts.flatMap(({ points }) => points);
  }

  #indexOf({ time }) {
    return this.#width === 0 ? time : Math.floor((time - this.#begin) / this.#width);
  }

  #join() {
    const parts = [];
    for (const { points } of this.#parts) {
      const last = parts.at(-1);
      const index = this.#indexOf(points[0]);
      if (last !== undefined && index <= last.index) {
        last.points.push(...points);
      } else {
        parts.push({ index, points: [...points] });
      }
    }
    this.#parts = parts.map(({ index, points }) => ({ index, points: this.#extremes(points) }));
  }

  #extremes(points) {
    if (points.length <= 2) {
      return points;
    }
    const stays = new Set([points[0], points.at(-1)]);
    this.#measures(points[0]).forEach((first, measure) => {
      let [lowest, highest] = [null, null];
      const others = [];
      for (const point of points) {
        const value = this.#measures(point)[measure];
        if (!Number.isFinite(value)) {
          others.push(point);
          continue;
        }
        lowest = lowest === null || value < lowest.value ? { point, value } : lowest;
        highest = highest === null || value > highest.value ? { point, value } : highest;
      }
      [lowest?.point, highest?.point, others[0], others.at(-1)].forEach((point) => point !== undefined && stays.add(point));
    });
    return points.filter((point) => stays.has(point));
  }
}
