package io.tony.client.submit;

import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * An application of the same step that already exists in YARN.
 *
 * @param message line for the job's log: the application, and what this client does about it
 */
record ExistingApplication(ApplicationId id, AttachDecision decision, String message) {

  /** What this client does about an existing application. */
  enum AttachDecision {
    /** Follow the application instead of submitting another, or take its result if it has ended. */
    FOLLOW,
    /** Kill the application before submitting another. */
    KILL,
    /** Leave the application running beside the one that this client submits. */
    LEAVE_ALONE
  }
}
