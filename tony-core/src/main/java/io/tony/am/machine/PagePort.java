package io.tony.am.machine;

/** Where YARN's link to the application leads. No call waits. */
public interface PagePort {
  /** The job's TensorBoard listens there from now on; empty when none does. */
  void showTensorBoard(String url);
}
