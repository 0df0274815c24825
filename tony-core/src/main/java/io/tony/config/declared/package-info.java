/**
 * Every option there is, declared once; the documentation, the checks and the suggestions are made
 * from these declarations.
 */
package io.tony.config.declared;
