package io.tony.client.doctor;

import java.time.Duration;
import java.util.Set;

/**
 * One thing that an installation needs.
 *
 * @param name one word, by which other checks name it
 * @param needs the checks without which this one would only fail for their reason
 * @param limit after so long it has failed: Hadoop's own clients try for many minutes
 * @param remedy what to do when it fails with an exception, or does not answer
 */
record Check(String name, Set<String> needs, Duration limit, String remedy, Probe probe) {

  /** Looks; what it leaves behind it removes, also when its thread is interrupted. */
  interface Probe {
    Finding run() throws Exception;
  }
}
