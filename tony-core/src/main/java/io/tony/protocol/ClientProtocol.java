package io.tony.protocol;

import io.tony.protocol.proto.TonyProtos.ClientService;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.token.TokenInfo;

/** Calls from a client to an ApplicationMaster. {@code tony.proto} defines the messages. */
@ProtocolInfo(protocolName = "io.tony.protocol.ClientProtocol", protocolVersion = 1)
@TokenInfo(TonyTokenSelector.class)
public interface ClientProtocol extends ClientService.BlockingInterface {
  /**
   * How long, in milliseconds, a client's call waits for new events before it returns without any.
   */
  long WATCH_MS = 5_000;
}
