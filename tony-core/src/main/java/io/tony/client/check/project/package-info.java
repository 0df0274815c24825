/**
 * Floor 6: an Azkaban project as it is uploaded, and the properties that each step will have. This
 * package knows Azkaban's files, but not the options of TonY jobs.
 */
package io.tony.client.check.project;
