/**
 * Submits a job to YARN: decides about existing applications of the same job or step, uploads
 * files, fills in YARN's submission context, and follows the job to its end.
 */
package io.tony.client.submit;
