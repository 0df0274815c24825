package io.tony.client.submit;

import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * An application of the same step that YARN has already.
 *
 * @param message for the job's log: what it is, and what becomes of it
 */
record ExistingApplication(ApplicationId id, AttachDecision decision, String message) {

  /** What becomes of it. */
  enum AttachDecision {
    /** This client follows it instead of submitting another, or takes its result. */
    FOLLOW,
    /** It is ended before this client submits another. */
    KILL,
    /** It goes on beside the one that this client submits. */
    LEAVE_ALONE
  }
}
