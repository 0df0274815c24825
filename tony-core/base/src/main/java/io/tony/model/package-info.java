/** Floor 0: immutable descriptions of a job, its tasks and its events. Uses {@code java.*} only. */
package io.tony.model;
