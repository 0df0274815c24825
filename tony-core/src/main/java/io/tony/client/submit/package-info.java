/**
 * The way of a job into YARN: what an earlier attempt left, the files and their cache, the request;
 * then it is followed.
 */
package io.tony.client.submit;
