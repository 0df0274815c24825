// Memory, CPU and GPU that tasks use over time. No DOM access.

import { DownsampledSeries } from './downsampling.js';

/** The columns of a sample, in the order of its text. */
export const MEASURES = [
  { name: 'Memory', unit: 'MiB' },
  { name: 'CPU', unit: 'cores' },
  { name: 'GPU', unit: '%' },
  { name: 'GPU memory', unit: 'MiB' },
];

/** Maximum number of distinguishable lines in a chart; more tasks are shown by minimum, median and maximum. */
const MAX_LINES = 8;

const SUMMARY = ['min', 'median', 'max'];

class Series {
  /** Values over time, for each reported measure. */
  #columns = [];

  constructor(name) {
    this.name = name;
  }

  add(time, numbers) {
    numbers.forEach((value, column) => {
      this.#columns[column] ??= new DownsampledSeries((point) => [point.value]);
      this.#columns[column].add({ time, value });
    });
  }

  /** [[milliseconds since 1970, value], …] of a measure; empty if the measure was not reported. */
  points(column) {
    return (this.#columns[column]?.points ?? []).map(({ time, value }) => [time, value]);
  }
}

export class Metrics {
  #roles = new Map();

  /** @param details maps a task's id, or a role with `min`, `median` or `max`, to `MiB cores [gpuPercent gpuMiB]` */
  add(time, details) {
    const byRole = new Map();
    for (const [key, text] of details) {
      const numbers = text.trim().split(/\s+/).map(Number);
      if (numbers.length >= 2 && numbers.every((number) => Number.isFinite(number))) {
        const role = key.split(/[: ]/, 1)[0];
        byRole.set(role, [...(byRole.get(role) ?? []), [key.includes(':') ? key : key.slice(role.length + 1), numbers]]);
      }
    }
    for (const [role, entries] of byRole) {
      const series = this.#roles.get(role) ?? new Map();
      this.#roles.set(role, series);
      for (const [name, numbers] of entries.length > MAX_LINES ? summary(entries) : entries) {
        const one = series.get(name) ?? new Series(name);
        series.set(name, one);
        one.add(time, numbers);
      }
    }
  }

  /** The charts to draw: {role, measure, lines: [{name, points: [[time, value], …]}]}. */
  charts() {
    const charts = [];
    for (const [role, series] of this.#roles) {
      // A role that has reported single tasks and then a summary is shown by the summary.
      const all = [...series.values()];
      const shown = series.has('median') ? all.filter((one) => SUMMARY.includes(one.name)) : all;
      MEASURES.forEach((measure, column) => {
        const lines = shown
          .map((one) => ({ name: one.name, points: one.points(column) }))
          .filter((line) => line.points.length > 0);
        if (lines.length > 0) {
          charts.push({ role, measure, lines });
        }
      });
    }
    return charts;
  }
}

function summary(entries) {
  const columns = Math.min(...entries.map(([, numbers]) => numbers.length));
  const sorted = Array.from({ length: columns }, (none, column) =>
    entries.map(([, numbers]) => numbers[column]).sort((a, b) => a - b),
  );
  const at = (position) => sorted.map((column) => column[position]);
  return [
    ['min', at(0)],
    ['median', at(Math.floor((entries.length - 1) / 2))],
    ['max', at(entries.length - 1)],
  ];
}
