/**
 * Resource usage of tasks compared with their requests, and advice based on it. Makes no decisions.
 */
package io.tony.am.usage;
