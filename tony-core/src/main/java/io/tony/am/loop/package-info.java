/**
 * The one thread that owns the job's state: it takes what happened, has the machine decide, has the
 * facts recorded, and has the actions done once they are.
 */
package io.tony.am.loop;
