package io.tony.model;

/** Defines when the programs of a job start ({@code tony.application.distributed-mode}). */
public enum DistributedMode {
  /**
   * All programs start together, as soon as every task has registered; each program gets the
   * complete cluster.
   */
  GANG,
  /** First come, first served: each program starts as soon as its own task has registered. */
  FCFS
}
