/**
 * Floor 6: reads an Azkaban project as it is uploaded, and determines the properties of each step.
 * This package knows the formats of Azkaban's files, but not the options of TonY jobs.
 */
package io.tony.client.check.project;
