package io.tony.client.doctor;

import java.time.Duration;
import java.util.Set;

/**
 * One check of an installation.
 *
 * @param name one word, by which other checks refer to this one
 * @param needs names of the checks that must succeed first; this check would fail for the same
 *     reason
 * @param limit time after which the check has failed; Hadoop's own clients retry for many minutes
 * @param remedy what to do if the check throws an exception or exceeds its limit
 */
record Check(String name, Set<String> needs, Duration limit, String remedy, Probe probe) {

  /** Runs the check. Removes everything that it creates, even if the thread is interrupted. */
  interface Probe {
    Finding run() throws Exception;
  }
}
