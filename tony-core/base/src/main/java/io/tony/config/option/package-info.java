/**
 * Defines what an option is: a key with the type, unit, default and meaning of its value, and
 * whether the value is secret. Parses values.
 */
package io.tony.config.option;
