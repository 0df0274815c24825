package io.tony.config.declared;

/** Defines when a job succeeds ({@code tony.application.success-policy}). */
public enum SuccessPolicy {
  /** When every tracked task has succeeded. */
  ALL,
  /** When the chief has succeeded; the other tasks are then stopped. */
  CHIEF
}
