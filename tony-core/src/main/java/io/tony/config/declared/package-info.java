/**
 * Declarations of all options. The documentation, the checks and the suggestions are generated from
 * them.
 */
package io.tony.config.declared;
