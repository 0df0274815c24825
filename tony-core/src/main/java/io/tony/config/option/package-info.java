/** The definition of an option: a typed key with unit, default, meaning and secrecy. */
package io.tony.config.option;
