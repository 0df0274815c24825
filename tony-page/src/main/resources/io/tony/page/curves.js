// Reads named numbers from a program's progress lines and keeps them as series over time. No DOM access.

import { DownsampledSeries } from './downsampling.js';

const NUMBER = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:e[-+]?\\d+)?';
/** NaN and infinity, as programs print them. */
const NO_NUMBER = '[-+]?(?:nan|inf(?:inity)?)';
/** A number must not be part of a time, a version, a date or a name. */
const END = '(?![\\w:]|[.-]\\w)';
const NAME = '(?<![\\w./@-])([a-z_](?:[\\w./-]*\\w)?)';

/** Names that may precede a number without `=` or `:`. Other names need one of these signs. */
const COMMON_NAMES =
  /(?:^|[_/.-])(?:step|iteration|iter|epoch|batch|loss|acc|accuracy|error|lr|learning_rate|perplexity|ppl|reward|score|auc|f1|mae|mse|rmse)$/;
const STEPS = ['step', 'global_step', 'iteration', 'iter'];

const PAIR = new RegExp(`${NAME}(\\s*[=:]\\s*|\\s+)(${NUMBER}|${NO_NUMBER})${END}`, 'gi');
const RATE = new RegExp(`(?<![\\w.:/-])(${NUMBER})\\s*([a-z]+)/(s|sec|second|it|step)(?!\\w)`, 'gi');

/** Maximum number of numbers per line, and of characters per name; what exceeds them is ignored. */
const MAX_NUMBERS = 32;
const MAX_NAME_CHARS = 40;

/** Numbers beyond this magnitude count as infinite, because a chart with them could show nothing else. */
const MAX_MAGNITUDE = 1e100;

/**
 * Maps names in lower case to numbers: for `step 300/1000 loss=0.41, 12.3 steps/s` step, loss and steps/s. If a name
 * occurs twice, the first number counts. `loss=nan` gives NaN, and `loss=inf` Infinity.
 */
export function numbersOf(text) {
  const numbers = new Map();
  const put = (name, number) => {
    if (name.length <= MAX_NAME_CHARS && numbers.size < MAX_NUMBERS && !numbers.has(name)) {
      numbers.set(name, valueOf(number));
    }
  };
  for (const [, rawName, between, number] of text.matchAll(PAIR)) {
    const name = rawName.toLowerCase();
    if (between.trim() !== '' || COMMON_NAMES.test(name)) {
      put(name, number);
    }
  }
  for (const [, number, what, each] of text.matchAll(RATE)) {
    put(`${what}/${each.replace(/^sec(?:ond)?$/i, 's')}`.toLowerCase(), number);
  }
  return numbers;
}

function valueOf(text) {
  const value = Number(text.replace(/inf(?:inity)?/i, 'Infinity'));
  return Math.abs(value) > MAX_MAGNITUDE ? Math.sign(value) * Infinity : value;
}

/** The step among the numbers of a line; null if there is none. */
function stepOf(numbers) {
  const name = STEPS.find((one) => Number.isFinite(numbers.get(one)));
  return name === undefined ? null : numbers.get(name);
}

const MAX_SERIES = 24;
const MAX_RESTARTS = 100;

/** Minimum time between the two steps that a pace is computed from; a program may print a line per step. */
const PACE_MILLIS = 10_000;

/** Computed unless the program prints it. */
const PACE = 'steps/s';

/**
 * One series. `firstNonFinite` is the first of the trailing points that are NaN or infinite; null if the last is
 * finite.
 */
class Series {
  #samples = new DownsampledSeries(({ value }) => [value]);
  firstNonFinite = null;

  add(point) {
    this.#samples.add(point);
    this.firstNonFinite = Number.isFinite(point.value) ? null : (this.firstNonFinite ?? point);
  }

  get points() {
    return this.#samples.points;
  }
}

/** Numbers of one task's progress. Lines must be added in order; the results are up to date after each. */
export class Curves {
  /** The last restarts of the task: {time, label}, the time in ms since 1970. */
  restarts = [];
  /** Number of restarts. */
  #run = 0;
  #series = new Map();
  /** Last known step; null before the first. A line may have a loss and no step. */
  #step = null;
  /** Start of the current measurement of the pace: {time, step}; null before the first step of a run. */
  #mark = null;
  #reportsPace = false;

  /** Adds a line of progress at a time in ms since 1970. */
  add(time, text) {
    const numbers = numbersOf(text);
    const step = stepOf(numbers);
    this.#step = step ?? this.#step;
    for (const [name, value] of numbers) {
      if (!STEPS.includes(name)) {
        this.#put(name, time, value);
      }
    }
    if (numbers.has(PACE) && !this.#reportsPace) {
      this.#reportsPace = true;
      this.#series.delete(PACE);
      this.#put(PACE, time, numbers.get(PACE));
    }
    if (step !== null && !this.#reportsPace) {
      this.#measurePace(time, step);
    }
  }

  /** Begins another run, whose steps may repeat those of an earlier one. */
  restarted(time, label) {
    this.#run++;
    this.#step = null;
    this.#mark = null;
    this.restarts = [...this.restarts, { time, label }].slice(-MAX_RESTARTS);
  }

  /** Adds to the label of the last restart what the run resumed from. */
  resumed(from) {
    const last = this.restarts.at(-1);
    if (last !== undefined) {
      this.restarts = [...this.restarts.slice(0, -1), { ...last, label: `${last.label}, from ${from}` }];
    }
  }

  /**
   * The series to draw: {name, points: [{time, step, value, run}], firstNonFinite}. A step is null if unknown.
   * `firstNonFinite` is the first of the trailing points that are NaN or infinite; null if the last is finite.
   */
  series() {
    return [...this.#series].map(([name, { points, firstNonFinite }]) => ({ name, points, firstNonFinite }));
  }

  #measurePace(time, step) {
    if (this.#mark === null || step < this.#mark.step || time < this.#mark.time) {
      this.#mark = { time, step }; // first step of a run, or the program counts anew
    } else if (time - this.#mark.time >= PACE_MILLIS) {
      this.#put(PACE, time, ((step - this.#mark.step) * 1000) / (time - this.#mark.time));
      this.#mark = { time, step };
    }
  }

  #put(name, time, value) {
    let series = this.#series.get(name);
    if (series === undefined) {
      if (this.#series.size === MAX_SERIES) {
        return;
      }
      series = new Series();
      this.#series.set(name, series);
    }
    series.add({ time, step: this.#step, value, run: this.#run });
  }
}

/** Maximum number of tasks; more lines in one chart cannot be distinguished. */
const MAX_TASKS = 8;
const CHIEFS = ['chief:0', 'master:0'];

/** Curves of the tasks that report progress: of the chief, and of the first others up to the maximum. */
export class TaskCurves {
  #tasks = new Map();

  add(task, time, text) {
    let curves = this.#tasks.get(task);
    if (curves === undefined) {
      // One place is reserved for the chief.
      const others = [...this.#tasks.keys()].filter((id) => !CHIEFS.includes(id)).length;
      if (CHIEFS.includes(task) ? this.#tasks.size === MAX_TASKS : others === MAX_TASKS - 1) {
        return;
      }
      curves = new Curves();
      this.#tasks.set(task, curves);
    }
    curves.add(time, text);
  }

  /** @param task id of the restarted task; null for all tasks */
  restarted(task, time, label) {
    for (const [id, curves] of this.#tasks) {
      if (task === null || task === id) {
        curves.restarted(time, label);
      }
    }
  }

  /** Notes what the last start of all tasks resumed from. */
  resumed(from) {
    this.#tasks.forEach((curves) => curves.resumed(from));
  }

  /** Series whose last value is NaN or infinite: {task, name, firstNonFinite}. */
  nonFinite() {
    return [...this.#tasks].flatMap(([task, curves]) =>
      curves
        .series()
        .filter(({ firstNonFinite }) => firstNonFinite !== null)
        .map(({ name, firstNonFinite }) => ({ task, name, firstNonFinite })),
    );
  }

  /**
   * The charts to draw: {name, lines: [{name, points: [[time, value, run], …], firstNonFinite}], marks: [{time, label},
   * …]}.
   */
  charts() {
    const charts = new Map();
    const marks = new Map();
    for (const [task, curves] of this.#tasks) {
      for (const { name, points, firstNonFinite } of curves.series()) {
        const lines = charts.get(name) ?? [];
        charts.set(name, lines);
        lines.push({ name: task, points: points.map(({ time, value, run }) => [time, value, run]), firstNonFinite });
      }
      curves.restarts.forEach((mark) => marks.set(`${mark.time} ${mark.label}`, mark));
    }
    const inOrder = [...marks.values()].sort((a, b) => a.time - b.time);
    return [...charts].map(([name, lines]) => ({ name, lines, marks: inOrder }));
  }
}
