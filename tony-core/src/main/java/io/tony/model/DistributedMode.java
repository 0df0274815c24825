package io.tony.model;

/** When the programs of a job start ({@code tony.application.distributed-mode}). */
public enum DistributedMode {
  /**
   * All programs start together when every task has registered; each program sees the complete
   * cluster.
   */
  GANG,
  /** First come, first served: each program starts as soon as its own container is ready. */
  FCFS
}
