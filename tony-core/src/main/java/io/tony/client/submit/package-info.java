/**
 * Submits a job to YARN: resolves applications of earlier attempts and other executions, uploads
 * files and fills in the request.
 */
package io.tony.client.submit;
