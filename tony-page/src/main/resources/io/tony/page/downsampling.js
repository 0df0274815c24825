// Keeps a series of any length in a bounded number of points that still draw the same picture. No DOM access.

/** Maximum number of parts; beyond it neighbours are merged. */
const MAX_PARTS = 200;

/**
 * A series whose time is divided into parts of one width, which doubles as the series grows, so that the density is the
 * same at all times. Each part keeps its first and last point and, for each measure, the points with the lowest and
 * highest value and the first and last NaN or infinite value. So a line of that width shows every extreme, however
 * short.
 */
export class DownsampledSeries {
  #measures;
  /** {index, points}, oldest first; the points are the kept ones in the order of their arrival. */
  #parts = [];
  #begin = 0;
  /** Width of a part in milliseconds; 0 while each time has a part of its own. */
  #width = 0;

  /** @param measures returns the numbers of a point; the extremes of each are kept */
  constructor(measures) {
    this.#measures = measures;
  }

  /**
   * @param point has a {time} in milliseconds, not before the last point's; a point that is earlier joins the last part
   */
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

  /** The kept points, oldest first. */
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
