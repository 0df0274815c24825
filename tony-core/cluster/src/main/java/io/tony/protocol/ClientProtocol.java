package io.tony.protocol;

import io.tony.protocol.proto.TonyProtos.ClientService;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.token.TokenInfo;

/** Calls that a client makes to an ApplicationMaster. {@code tony.proto} defines the messages. */
@ProtocolInfo(protocolName = "io.tony.protocol.ClientProtocol", protocolVersion = 1)
@TokenInfo(TonyTokenSelector.class)
public interface ClientProtocol extends ClientService.BlockingInterface {
  /**
   * Maximum time, in milliseconds, for which the ApplicationMaster holds a client's call if there
   * are no new events.
   */
  long WATCH_MS = 5_000;
}
