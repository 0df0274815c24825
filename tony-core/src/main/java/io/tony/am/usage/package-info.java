/**
 * What the tasks use of what they asked for, and what is advised upon it. Nothing is decided here.
 */
package io.tony.am.usage;
