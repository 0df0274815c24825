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
 * IP addresses of YARN's proxies. Host names are resolved again after some minutes, because a
 * ResourceManager may move to another host. Not thread-safe.
 */
final class ProxyAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyAddresses.class);
  private static final Duration MAX_AGE = Duration.ofMinutes(5);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

  private final List<String> hosts;
  private final InstantSource clock;
  // null before the first resolution
  private Set<InetAddress> addresses;
  private Duration maxAge = MAX_AGE;
  private long resolvedAtMillis;

  /**
   * Creates the object without resolving host names.
   *
   * @param hostsAndPorts the proxies as in YARN's configuration
   * @param clock measures the age of the resolved addresses; must be monotonic
   */
  ProxyAddresses(List<String> hostsAndPorts, InstantSource clock) {
    this.hosts =
        hostsAndPorts.stream().map(hostAndPort -> hostAndPort.replaceFirst(":\\d+$", "")).toList();
    this.clock = clock;
  }

  boolean contains(InetAddress caller) {
    long now = clock.millis();
    if (addresses == null || now - resolvedAtMillis > maxAge.toMillis()) {
      resolve();
      resolvedAtMillis = now;
    }
    return addresses.contains(caller);
  }

  /**
   * Resolves all host names. If one cannot be resolved, keeps the previous addresses and tries
   * again sooner.
   */
  private void resolve() {
    Set<InetAddress> resolved = new HashSet<>();
    maxAge = MAX_AGE;
    for (String host : hosts) {
      try {
        resolved.addAll(List.of(InetAddress.getAllByName(host)));
      } catch (UnknownHostException e) {
        LOG.warn("YARN's proxy {} has no address now: its users may not see the page", host);
        maxAge = RETRY_AFTER;
        resolved.addAll(addresses == null ? Set.of() : addresses);
      }
    }
    addresses = resolved;
  }
}
