/** Floor 1: the settings of a job with their sources, and the masking of secrets. */
package io.tony.config;
