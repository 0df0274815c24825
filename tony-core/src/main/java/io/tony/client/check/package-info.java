/** Checks before a submission, for one job or for a whole Azkaban project. */
package io.tony.client.check;
