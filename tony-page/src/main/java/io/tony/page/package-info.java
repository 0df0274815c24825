/** The page of a job, for those who serve it. It depends on nothing. */
package io.tony.page;
