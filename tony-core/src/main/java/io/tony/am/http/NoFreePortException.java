package io.tony.am.http;

import io.tony.model.PortRange;
import java.net.BindException;
import java.util.Optional;

/**
 * The administrator's range has no port for this process. No defect: another ApplicationMaster may
 * find one, on another node or later.
 */
public final class NoFreePortException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Names the range.
   *
   * @param server what needs the port
   * @param last why the last port of the range is not to be had
   */
  public NoFreePortException(PortRange ports, String host, String server, BindException last) {
    super(
        "no port of tony.am.port-range="
            + ports
            + " is free on "
            + host
            + " for "
            + server
            + ": widen the range (a job takes one or two ports on the node of its"
            + " ApplicationMaster), or find out who holds its ports; the last one: "
            + last.getMessage(),
        last);
  }

  /** The one that led to this error, if one did. */
  public static Optional<NoFreePortException> findCause(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof NoFreePortException found) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }
}
