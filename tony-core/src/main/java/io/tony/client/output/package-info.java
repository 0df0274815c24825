/**
 * Text for people: lines with prefixes, durations, sizes, colors and the pace at which lines are
 * printed.
 */
package io.tony.client.output;
