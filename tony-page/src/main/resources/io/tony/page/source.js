// Where the events of a job come from. The page knows a source by this alone:
//
//   title                the job's name
//   path                 [{label, href}] of what the job is in, the outermost first
//   origin               {text, href}: what to say of where the events come from, and a link; or null
//   successor            the address of the page that a job has after its end, where this one goes with its server; empty
//                        where there is none; null where this page stays
//   words                {incomplete, gap, took}: what to say where the first events are missing, where later ones may be,
//                        and from when to when it is that an ended attempt took
//   hasGap               whether events may be missing between those that were read
//   explain(attempt)     {text, lines, submitted} for the attempt that is shown, which has ended, and no event tells how: a
//                        sentence, the lines of its log that say why, if there are any, and false where it is certain that
//                        no job was submitted
//   log(attempt)         {label, href} of the attempt's own log, or null
//   pause                milliseconds to wait before the next look; null for: the longer, the longer nothing is told
//   attempts()           a promise of all attempts, the first at 0:
//                        [{status, start, end, started, ended, last}], times in ms or null
//   reader(attempt)      {news(whole), end()}: lists of events as they come, up to the end that the log has now, and
//                        the events that are left when it is whole. An event may have its number in the job's log
//   written(allocation, file, from, signal)
//                        a promise of what a task wrote: {text, begin, end, length} of some of a file, from an offset on
//                        or the last of it where that is below 0; or {why} there is none; or neither, where too many
//                        ask; with {pause}, the milliseconds after which there may be more, and {onNode} where its node
//                        may have it. The signal tells that nobody waits for it any more. Null for a source that has
//                        none of that
//
// The promises fail with these errors; after Unreachable alone it is worth to look again.

/** A login is wanted first. */
export class SessionExpired extends Error {}

/** No answer, or one that says that the server failed: the next one may be better. */
export class Unreachable extends Error {}

/** The server understood and said no. */
export class Refused extends Error {}
