/** The page of a job, for the servers that deliver it. Has no dependencies. */
package io.tony.page;
