package io.tony.executor.rpc;

import java.io.IOException;

/**
 * Headers of Hadoop RPC messages. Hadoop's {@code RpcHeader.proto} and {@code
 * ProtobufRpcEngine2.proto} define the field numbers.
 */
final class RpcHeaders {
  /** {@code RpcRequestHeaderProto.callId} of login messages. */
  static final int LOGIN_CALL_ID = -33;

  /**
   * {@code RpcRequestHeaderProto.callId} of the first message after the login, which names the
   * protocol.
   */
  static final int CONTEXT_CALL_ID = -3;

  /** Maximum size of a response; far below the executor's heap size. */
  static final int MAX_RESPONSE_BYTES = 16 << 20;

  private static final int PROTOCOL_BUFFERS = 2; // value of RpcKindProto
  private static final int FINAL_PACKET = 0; // value of RpcRequestHeaderProto.OperationProto
  private static final int NO_RETRY = -1;
  private static final int SUCCESS = 0; // value of RpcResponseHeaderProto.RpcStatusProto

  private RpcHeaders() {}

  static WireWriter request(int callId, byte[] client) {
    byte[] header =
        new WireWriter()
            .number(1, PROTOCOL_BUFFERS)
            .number(2, FINAL_PACKET)
            .signed(3, callId)
            .bytes(4, client)
            .signed(5, callId < 0 ? NO_RETRY : 0)
            .toBytes();
    return new WireWriter().delimited(header);
  }

  /**
   * Reads the header of a response and returns its call ID.
   *
   * @throws RpcErrorException if the server responded with an error
   */
  static int readResponseHeader(WireReader frame) throws IOException {
    WireReader header = frame.delimited();
    int callId = 0;
    long status = SUCCESS;
    String exception = "";
    String message = "";
    for (int field = header.next(); field != 0; field = header.next()) {
      switch (field) {
        case 1 -> callId = (int) header.number();
        case 2 -> status = header.number();
        case 4 -> exception = header.text();
        case 5 -> message = header.text();
        default -> {} // skip a field that is not used here
      }
    }
    if (status != SUCCESS) {
      throw new RpcErrorException(callId, exception, message);
    }
    return callId;
  }
}
