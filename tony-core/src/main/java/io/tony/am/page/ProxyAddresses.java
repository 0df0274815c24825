package io.tony.am.page;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where YARN's proxies call from. Their names are looked up again after some minutes, because a
 * ResourceManager may move. Used by one thread.
 */
final class ProxyAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyAddresses.class);
  private static final Duration GOOD_FOR = Duration.ofMinutes(5);
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

  private final List<String> hosts;
  private final InstantSource clock;
  private Set<InetAddress> known; // null before the first look
  private Duration goodFor = GOOD_FOR;
  private long lookedUpAt;

  /**
   * @param hostsAndPorts as YARN's configuration names them
   * @param clock a steady one
   */
  ProxyAddresses(List<String> hostsAndPorts, InstantSource clock) {
    this.hosts = hostsAndPorts.stream().map(one -> one.replaceFirst(":\\d+$", "")).toList();
    this.clock = clock;
  }

  boolean has(InetAddress caller) {
    long now = clock.millis();
    if (known == null || now - lookedUpAt > goodFor.toMillis()) {
      lookUp();
      lookedUpAt = now;
    }
    return known.contains(caller);
  }

  /** What was known stays known where a name is not found for a while. */
  private void lookUp() {
    Set<InetAddress> found = new HashSet<>();
    goodFor = GOOD_FOR;
    for (String host : hosts) {
      try {
        found.addAll(List.of(InetAddress.getAllByName(host)));
      } catch (UnknownHostException e) {
        LOG.warn("YARN's proxy {} has no address now: its users may not see the page", host);
        goodFor = AGAIN_AFTER;
        found.addAll(known == null ? Set.of() : known);
      }
    }
    known = found;
  }
}
