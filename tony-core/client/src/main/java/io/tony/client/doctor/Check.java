package io.tony.client.doctor;

import java.time.Duration;
import java.util.Set;

/**
 * One check of {@code tony doctor}.
 *
 * @param name one word, by which other checks refer to this check
 * @param needs names of the checks that must have succeeded or warned before; if one has not, this
 *     check is skipped, because it would fail for the same reason
 * @param limit time after which the check counts as failed; needed because Hadoop's clients retry
 *     for many minutes
 * @param remedy what the user can do if the check throws an exception or exceeds its limit
 * @param probe the code of the check
 */
record Check(String name, Set<String> needs, Duration limit, String remedy, Probe probe) {

  /**
   * The code of a check. Returns the result. Removes what it has created, even if its thread is
   * interrupted.
   */
  interface Probe {
    Finding run() throws Exception;
  }
}
