package io.tony.am.machine;

/** Controls the link to TensorBoard in YARN's web page. No method blocks. */
public interface PagePort {
  /** Sets the URL of the job's TensorBoard; empty while none listens. */
  void showTensorBoard(String url);
}
