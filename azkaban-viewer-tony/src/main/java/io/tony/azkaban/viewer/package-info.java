/**
 * The TonY tab on the page of a job in Azkaban. Depends only on Azkaban's web server and TonY's
 * page.
 */
package io.tony.azkaban.viewer;
