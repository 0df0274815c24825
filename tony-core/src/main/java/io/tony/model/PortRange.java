package io.tony.model;

import java.util.ArrayList;
import java.util.List;

/** Ports from the first to the last, both included, of which one is to be taken; or any port. */
public record PortRange(int first, int last) {
  private static final int MIN_PORT = 1024; // below are those of the system
  private static final int MAX_PORT = 65_535;

  /** Whichever port is free, as the kernel chooses. */
  public static final PortRange ANY = new PortRange(0, 0);

  public PortRange {
    if ((first != 0 || last != 0) && !isValid(first, last)) {
      throw new IllegalArgumentException("no ports: " + first + "-" + last);
    }
  }

  /** Whether such a range can be. */
  public static boolean isValid(int first, int last) {
    return MIN_PORT <= first && first <= last && last <= MAX_PORT;
  }

  public boolean isAny() {
    return first == 0;
  }

  public int size() {
    return isAny() ? MAX_PORT : last - first + 1;
  }

  /** All of them, from the one behind this port on and around; 0 alone for any. */
  public List<Integer> portsAfter(int port) {
    int start = port >= first && port < last ? port + 1 : first;
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i <= last - first; i++) {
      ports.add(first + (start - first + i) % (last - first + 1));
    }
    return ports;
  }

  /** As the option is written. */
  @Override
  public String toString() {
    return isAny() ? "any" : first + "-" + last;
  }
}
