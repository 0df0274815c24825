package io.tony.protocol;

import io.tony.protocol.proto.TonyProtos.ClientService;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.token.TokenInfo;

/** What a client says to an ApplicationMaster. Messages: {@code tony.proto}. */
@ProtocolInfo(protocolName = "io.tony.protocol.ClientProtocol", protocolVersion = 1)
@TokenInfo(TonyTokenSelector.class)
public interface ClientProtocol extends ClientService.BlockingInterface {
  /** How long a client that follows a job waits before it asks again. */
  long WATCH_MS = 5_000;
}
