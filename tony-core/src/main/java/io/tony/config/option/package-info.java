/**
 * Defines what an option is: a typed key with unit, default and meaning, and whether its value is
 * secret.
 */
package io.tony.config.option;
