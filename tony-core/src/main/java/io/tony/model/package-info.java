/** Floor 0: what a job is. Plain values, {@code java.*} only. */
package io.tony.model;
