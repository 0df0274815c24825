/** Floor 0: the description of a job and its tasks. Immutable values; uses {@code java.*} only. */
package io.tony.model;
