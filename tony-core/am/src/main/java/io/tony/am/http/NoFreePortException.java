package io.tony.am.http;

import io.tony.model.PortRange;
import java.net.BindException;
import java.util.Optional;

/**
 * Thrown if no port of the range that the administrator configured is free. Not a defect: another
 * ApplicationMaster attempt may find a free port, on another node or later.
 */
public final class NoFreePortException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception whose message names the port range.
   *
   * @param server name of the server that needs the port
   * @param last why the last port of the range could not be bound
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

  /**
   * Returns the first exception of this type among {@code error} and its causes; empty if there is
   * none.
   */
  public static Optional<NoFreePortException> findCause(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof NoFreePortException found) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }
}
