package io.tony.client.doctor;

import java.time.Duration;
import java.util.Set;

/**
 * One check of {@code tony doctor}.
 *
 * @param name one word, by which other checks refer to this one
 * @param needs names of checks that must have succeeded or warned; otherwise this check is skipped,
 *     because it would fail for the same reason
 * @param limit time after which the check has failed, because Hadoop's own clients retry for many
 *     minutes
 * @param remedy what the user can do if the check throws an exception or exceeds its limit
 * @param probe the work of the check
 */
record Check(String name, Set<String> needs, Duration limit, String remedy, Probe probe) {

  /**
   * Runs the check, and returns its result. Removes what it has created, even if the thread is
   * interrupted.
   */
  interface Probe {
    Finding run() throws Exception;
  }
}
