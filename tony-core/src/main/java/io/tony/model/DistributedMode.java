package io.tony.model;

/** When the user's processes start, {@code tony.application.distributed-mode}. */
public enum DistributedMode {
  /** All together, once every task is registered: each sees the complete cluster. */
  GANG,
  /** First come, first served: each as soon as its own container is ready. */
  FCFS
}
