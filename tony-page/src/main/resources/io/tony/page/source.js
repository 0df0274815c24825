// A source of a job's events, as the page uses it:
//
//   title                the job's name
//   path                 [{label, href}] of what contains the job, the outermost first
//   origin               a note on where the events come from, with a link: {text, href}; or null
//   successor            the address of the job's page after the end, if the server of this page ends with the job;
//                        empty if there is none; null if this page remains
//   labels               {incomplete, gap, took}: texts for missing first events, for possibly missing later ones, and
//                        for the duration of an ended attempt
//   hasGap               whether events may be missing between those that were read
//   explain(attempt)     {text, lines, submitted} for the shown attempt, if it has ended and no event reports how: a
//                        sentence, the lines of its log that explain the end, and false if certainly no job was
//                        submitted
//   log(attempt)         {label, href} of the attempt's own log, or null
//   pause                milliseconds until the next poll; null for a wait that grows while there are no new events
//   attempts()           a promise of all attempts, the first at 0:
//                        [{status, start, end, started, ended, last}], times in ms since 1970 or null
//   reader(attempt)      {news(whole), end()}: yields lists of the new events up to the log's current end; returns the
//                        events that remain when the log is complete. An event may have its number in the job's log
//   taskLog(allocation, file, from, signal)
//                        a promise of a part of a task's log: {text, begin, end, length}, read from an offset on, or
//                        the last part if the offset is below 0; {why} if there is none; neither if too many requests
//                        are pending; with {pause}, the milliseconds after which there may be more, and {onNode} if
//                        the task's node may have the log. The signal aborts the request. Null for a source without
//                        logs of tasks
//
// The promises reject with these errors; only after Unreachable a further request may succeed.

/** The user must log in first. */
export class SessionExpired extends Error {}

/** There was no answer, or the server failed; a later request may succeed. */
export class Unreachable extends Error {}

/** The server understood the request and refused it. */
export class Refused extends Error {}
