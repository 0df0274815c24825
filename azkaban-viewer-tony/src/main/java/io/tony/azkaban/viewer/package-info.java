/** The TonY tab on the page of an Azkaban job. Depends on Azkaban's web server only. */
package io.tony.azkaban.viewer;
