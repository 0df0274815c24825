package io.tony.am.machine;

/** Controls the target of YARN's link to the application. No method blocks. */
public interface PagePort {
  /** Sets the URL of the job's TensorBoard; empty while none listens. */
  void showTensorBoard(String url);
}
