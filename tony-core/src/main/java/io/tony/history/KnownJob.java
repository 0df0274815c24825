package io.tony.history;

/**
 * A job of the index.
 *
 * @param history the folder that its own folder is in
 * @param changed when a file of its log was made last, in milliseconds since 1970
 */
record KnownJob(String history, long changed, JobSummary summary) {
  String application() {
    return summary.application();
  }
}
