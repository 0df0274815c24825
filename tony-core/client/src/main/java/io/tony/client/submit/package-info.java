/**
 * Submits a job to YARN: decides about existing applications of the same job or step, uploads the
 * job's files, fills in YARN's submission context, and follows the application to its end.
 */
package io.tony.client.submit;
