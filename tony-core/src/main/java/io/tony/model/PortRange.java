package io.tony.model;

import java.util.ArrayList;
import java.util.List;

/** Range of ports, both ends included, from which one port is taken; or {@link #ANY} port. */
public record PortRange(int first, int last) {
  private static final int MIN_PORT = 1024; // lower ports are privileged
  private static final int MAX_PORT = 65_535;

  /** Any free port, chosen by the kernel. */
  public static final PortRange ANY = new PortRange(0, 0);

  public PortRange {
    if ((first != 0 || last != 0) && !isValid(first, last)) {
      throw new IllegalArgumentException("no ports: " + first + "-" + last);
    }
  }

  /**
   * Returns true if the range is allowed: ports from 1024 to 65535, and {@code first} not above
   * {@code last}.
   */
  public static boolean isValid(int first, int last) {
    return MIN_PORT <= first && first <= last && last <= MAX_PORT;
  }

  public boolean isAny() {
    return first == 0;
  }

  public int size() {
    return isAny() ? MAX_PORT : last - first + 1;
  }

  /**
   * Returns all ports of the range, beginning after {@code port} and wrapping around. For {@link
   * #ANY}, returns only 0.
   */
  public List<Integer> portsAfter(int port) {
    int start = port >= first && port < last ? port + 1 : first;
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i <= last - first; i++) {
      ports.add(first + (start - first + i) % (last - first + 1));
    }
    return ports;
  }

  /** Returns the text form of the option's value. */
  @Override
  public String toString() {
    return isAny() ? "any" : first + "-" + last;
  }
}
