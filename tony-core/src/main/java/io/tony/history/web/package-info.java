/** The service of the history: lists of jobs and the page of each, over HTTP. */
package io.tony.history.web;
