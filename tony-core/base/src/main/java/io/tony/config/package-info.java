/** Floor 1: the settings of a job, each with its source, and the masking of secrets. */
package io.tony.config;
