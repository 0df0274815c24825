/**
 * Floor 6: an Azkaban project as it is uploaded, and the properties that each of its steps will
 * have. It knows Azkaban's files, and nothing of this program's options.
 */
package io.tony.client.check.project;
