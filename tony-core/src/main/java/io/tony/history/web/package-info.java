/** HTTP service of the history: lists of jobs and a page for each job. */
package io.tony.history.web;
