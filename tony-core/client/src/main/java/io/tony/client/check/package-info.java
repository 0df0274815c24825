/** Checks before the submission: of one job, or of all steps of an Azkaban project. */
package io.tony.client.check;
