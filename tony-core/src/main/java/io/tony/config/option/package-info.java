/** What an option is: a typed key with its unit, default, meaning and secrecy. */
package io.tony.config.option;
