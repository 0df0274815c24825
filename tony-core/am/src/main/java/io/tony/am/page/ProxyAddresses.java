package io.tony.am.page;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
  private @Nullable Set<InetAddress> addresses;
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

  /** Returns whether a proxy has this address; {@code caller} is null if the peer has gone. */
  boolean contains(@Nullable InetAddress caller) {
    long now = clock.millis();
    Set<InetAddress> current = addresses;
    if (current == null || now - resolvedAtMillis > maxAge.toMillis()) {
      current = resolve(current == null ? Set.of() : current);
      addresses = current;
      resolvedAtMillis = now;
    }
    return current.contains(caller);
  }

  /**
   * Resolves all host names. If one cannot be resolved, keeps the previous addresses and tries
   * again sooner.
   */
  private Set<InetAddress> resolve(Set<InetAddress> previous) {
    Set<InetAddress> resolved = new HashSet<>();
    maxAge = MAX_AGE;
    for (String host : hosts) {
      try {
        resolved.addAll(List.of(InetAddress.getAllByName(host)));
      } catch (UnknownHostException e) {
        LOG.warn("YARN's proxy {} has no address now: its users may not see the page", host);
        maxAge = RETRY_AFTER;
        resolved.addAll(previous);
      }
    }
    return resolved;
  }
}
