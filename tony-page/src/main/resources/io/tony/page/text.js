// Numbers, times and addresses as people read them.

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`, `3 d 04 h`; the time is in milliseconds. */
export function duration(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const two = (number) => String(number).padStart(2, '0');
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

/** The time of day, in the zone of whoever looks. */
export function clock(millis) {
  return new Date(millis).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}

/** `7 %`, of a fraction between 0 and 1. */
export function percent(fraction) {
  return `${Math.floor(fraction * 100)} %`;
}

/** The address of a web page, or null for anything else, such as `javascript:`. */
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
