// Finds the lines of a log that explain a step's end if no event does. No DOM access.

import { LAYOUT, unescapeLine } from './log.js';

/** TonY's client prints this above the problems of a job that it does not submit; each problem begins with `  - `. */
const REFUSAL = 'The job was not submitted; nothing was left behind:';

/** Begins a line in which TonY's client reports the end of the job, or of the client itself. */
const END = /^(?:FAILED|KILLED)\b|^stopped before the submission\b/;

/** A problem in the list, or a continuation of one, anywhere in a line. */
const LIST_ITEM = /( {2}- | {4}) *(\S.*)/;

/** In a layout that is not Azkaban's own, a level is recognized by its name. */
const ERROR = /\b(?:ERROR|FATAL)\b/;

/** Messages that Azkaban adds to a reason. */
const NO_REASONS = new Set([
  '',
  'Job run failed!',
  'Job run killed!',
  'Job run failed, but will treat it like success.',
  'Kill has been called.',
]);

/** Azkaban logs an exception of the job type with its class before the message, and with a null cause after it. */
const CLASS = /^io\.tony\.azkaban\.JobFailedException: /;
const NO_CAUSE = /(?: cause: |(?<=[.!?)]))null$/;
const POINTER = /\bthe lines above say why\.$/i;
const TRACE = /^\s+(?:at \S|\.\.\. \d+ more)/;

/** Maximum number of lines, and of characters per line; for more, users open the log. */
const MAX_LINES = 100;
const MAX_CHARACTERS = 4_000;

/** Collects the reasons from the lines of one log. */
export class Reasons {
  /** Whether the client did not submit the job, which has no application then. */
  refused = false;
  /** The reasons in order, without duplicates. */
  lines = [];
  #seen = new Set();
  #hasAzkabanLayout = false;
  /** What the last line belongs to: `list`, `error` or null. */
  #within = null;

  /** @param line as sent by Azkaban */
  add(line) {
    const begin = LAYOUT.exec(line);
    this.#hasAzkabanLayout ||= begin !== null;
    if (begin !== null) {
      this.#addText(unescapeLine(line.slice(begin[0].length)), ERROR.test(begin[1]));
    } else if (!this.#hasAzkabanLayout) {
      this.#addInAnotherLayout(unescapeLine(line));
    } else if (this.#within === 'error' && !TRACE.test(line)) {
      this.#addLine(unescapeLine(line).replace(CLASS, '')); // continues a message of several lines
    }
  }

  #addText(text, isError) {
    if (isError) {
      this.#within = 'error';
      this.#addLine(text);
    } else if (text.startsWith(REFUSAL)) {
      this.#refuse(text);
    } else if (this.#within === 'list' && text.startsWith('  ')) {
      this.#addLine(text);
    } else {
      this.#within = null;
      if (END.test(text)) {
        this.#addLine(text);
      }
    }
  }

  // In such a layout, the prefix of a message has any form and length.
  #addInAnotherLayout(line) {
    const listed = this.#within === 'list' ? LIST_ITEM.exec(line) : null;
    if (line.includes(REFUSAL)) {
      this.#refuse(line.slice(line.indexOf(REFUSAL)));
    } else if (listed !== null) {
      this.#addLine(listed[1] + listed[2]);
    } else {
      this.#within = null;
      if (ERROR.test(line)) {
        this.#addLine(line);
      }
    }
  }

  #refuse(text) {
    this.refused = true;
    this.#within = 'list';
    this.#addLine(text);
  }

  // Azkaban logs one reason up to three times: as a text, as an exception and with its cause.
  #addLine(text) {
    const line = text.replace(NO_CAUSE, '').trimEnd().slice(0, MAX_CHARACTERS);
    const isPointer = POINTER.test(line) && this.lines.length > 0;
    if (this.lines.length < MAX_LINES && !isPointer && !NO_REASONS.has(line) && !this.#seen.has(line)) {
      this.#seen.add(line);
      this.lines.push(line);
    }
  }
}
