/** HTTP service of the job history: lists of jobs, and a page for each job. */
package io.tony.history.web;
