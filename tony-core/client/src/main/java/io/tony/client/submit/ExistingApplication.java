package io.tony.client.submit;

import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * An application of the same job or step that YARN already had before this client submits the job,
 * and what this client does about it.
 *
 * @param message line for the job's log: which application exists, and what this client does about
 *     it
 */
record ExistingApplication(ApplicationId id, AttachDecision decision, String message) {

  /** What this client does about an existing application. */
  enum AttachDecision {
    /** Follow the application instead of submitting another; if it has ended, return its result. */
    FOLLOW,
    /** Kill the application before submitting another. */
    KILL,
    /** Leave the application running, and submit another application. */
    LEAVE_ALONE
  }
}
