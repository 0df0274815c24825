/**
 * {@code tony doctor}: checks whether an installation works, and says how to repair what does not.
 */
package io.tony.client.doctor;
