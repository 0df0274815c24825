package io.tony.model;

import java.util.ArrayList;
import java.util.List;

/** Range of ports, both ends included, from which a task takes a port; or {@link #ANY}. */
public record PortRange(int first, int last) {
  private static final int MIN_PORT = 1024; // lower ports are privileged
  private static final int MAX_PORT = 65_535;

  /** Any free port; the kernel chooses it. */
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
   * Returns all ports of the range once: those after {@code port} in ascending order, then the
   * others from {@code first}. For {@link #ANY}, returns only 0.
   */
  public List<Integer> portsAfter(int port) {
    int start = port >= first && port < last ? port + 1 : first;
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i <= last - first; i++) {
      ports.add(first + (start - first + i) % (last - first + 1));
    }
    return ports;
  }

  /** Returns the range in the form in which users write it in an option. */
  @Override
  public String toString() {
    return isAny() ? "any" : first + "-" + last;
  }
}
