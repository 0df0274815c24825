/**
 * Compares what tasks use with what they requested and with each other, and derives metrics,
 * stragglers and advice. Makes no decisions.
 */
package io.tony.am.usage;
