/** Floor 1: the values that users set, their sources, and the masking of secrets. */
package io.tony.config;
