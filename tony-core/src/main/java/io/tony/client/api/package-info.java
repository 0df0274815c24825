/**
 * For Java programs that submit and follow jobs themselves (docs/java-api.md): the one package of
 * the client that keeps its names and meanings from version to version, with the types of {@code
 * io.tony.model} that it gives, and {@code InvalidJobException}.
 */
package io.tony.client.api;
