/**
 * Floor 6: reads an Azkaban project as it is uploaded, and determines the properties that each step
 * will have. This package knows Azkaban's files, but not the options of TonY jobs.
 */
package io.tony.client.check.project;
