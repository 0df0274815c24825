package io.tony.config.declared;

/** When a job has succeeded, {@code tony.application.success-policy}. */
public enum SuccessPolicy {
  /** Every tracked task has. */
  ALL,
  /** The chief has; the others are stopped. */
  CHIEF
}
