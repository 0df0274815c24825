/**
 * Declarations of all options. The documentation of options, the checks of keys and the suggestions
 * for misspelt keys are derived from them.
 */
package io.tony.config.declared;
