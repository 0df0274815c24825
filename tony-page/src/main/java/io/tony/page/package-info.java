/** The files of the web page of a job, for the servers that serve the page. Has no dependencies. */
package io.tony.page;
