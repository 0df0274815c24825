// Formats numbers, times and addresses for people.

const two = (number) => String(number).padStart(2, '0');

/** Formats milliseconds, rounded down: `12 s`, `3 min 05 s`, `2 h 07 min`, `3 d 04 h`. */
export function duration(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${two(seconds % 60)} s`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${two(minutes % 60)} min` : `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** The time of day in the user's time zone: `01:32:07`. */
export function clock(millis) {
  return new Date(millis).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
}

/** `2026-11-23 01:32`, in the user's time zone. */
export function date(millis) {
  const at = new Date(millis);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The name of the user's time zone: `CET`, `UTC`. */
export function zone(millis) {
  return new Date(millis).toLocaleTimeString('en', { timeZoneName: 'short' }).split(' ').at(-1);
}

/** The time of day, with the date if it is not today's, in the user's time zone. */
export function since(millis) {
  const [day, time] = date(millis).split(' ');
  return day === date(Date.now()).split(' ')[0] ? time : `${day} ${time}`;
}

/** `7 %`, for a fraction between 0 and 1; rounded down. */
export function percent(fraction) {
  return `${Math.floor(fraction * 100)} %`;
}

/** `812 bytes`, `3.4 MiB`. */
export function bytes(number) {
  let value = number;
  let unit = 'bytes';
  for (const larger of ['KiB', 'MiB', 'GiB', 'TiB']) {
    if (value < 1024) {
      break;
    }
    value /= 1024;
    unit = larger;
  }
  return `${unit === 'bytes' ? value : value.toFixed(1)} ${unit}`;
}

// Control sequences of terminals: colours, movements of the cursor.
const COMMAND = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
// Control characters, which are invisible; those for the direction of text can change the order of a line.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The output of a program as a terminal shows it at the end: of an overwritten line, the last version. */
export function plain(text) {
  if (!UNUSUAL.test(text)) {
    return text;
  }
  return text
    .replace(COMMAND, '')
    .split('\n')
    .map(writtenLast)
    .join('\n')
    .replace(UNSEEN, '\ufffd');
}

function writtenLast(line) {
  let end = line.length;
  while (line[end - 1] === '\r') {
    end--;
  }
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

/** The normalized address of a web page; null for anything else, such as `javascript:`. */
export function webAddress(text) {
  let url;
  try {
    url = new URL(text);
  } catch (e) {
    return null;
  }
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

/** `1 task`, `2 tasks`. */
export function count(number, noun) {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The path of a job's page in the history. Users may have logs of the same id, so the path has the owner. */
export function pageOf({ application, user }) {
  return `jobs/${application}@${encodeURIComponent(user)}/`;
}
