/** {@code tony doctor}: whether an installation works, and what to do where it does not. */
package io.tony.client.doctor;
