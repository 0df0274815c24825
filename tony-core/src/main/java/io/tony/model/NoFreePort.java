package io.tony.model;

/**
 * The administrator's range has no port for this process. No defect: another ApplicationMaster may
 * find one, on another node or later.
 */
public final class NoFreePort extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** {@code server} is what needs the port. */
  public NoFreePort(PortRange ports, String host, String server) {
    super(
        "no port of tony.am.port-range="
            + ports
            + " is free on "
            + host
            + " for "
            + server
            + ": widen the range (a job takes one or two ports on the node of its"
            + " ApplicationMaster), or find out who holds its ports");
  }
}
