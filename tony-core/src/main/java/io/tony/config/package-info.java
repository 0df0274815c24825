/**
 * Floor 1: the values that users set, where each comes from, and what must not be shown of them.
 */
package io.tony.config;
