/**
 * API for Java programs that submit and follow jobs (docs/java-api.md). Names and meanings in this
 * package stay the same from version to version, and so do those of the {@code io.tony.model} types
 * that it returns and of {@code InvalidJobException}. {@link io.tony.client.api.TonyClient} is the
 * entry point.
 */
package io.tony.client.api;
