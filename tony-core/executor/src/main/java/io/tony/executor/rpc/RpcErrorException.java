package io.tony.executor.rpc;

import java.io.IOException;

/** Thrown when a server responds to a call, or to a login, with an exception. */
public final class RpcErrorException extends IOException {
  private static final long serialVersionUID = 1;

  private final int callId;

  RpcErrorException(int callId, String exceptionClass, String message) {
    super(
        exceptionClass
            + ": "
            + message
                .lines()
                .findFirst()
                .orElse("")); // only the first line: the others are the stack trace
    this.callId = callId;
  }

  int callId() {
    return callId;
  }
}
