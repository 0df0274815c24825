package io.tony.protocol;

import io.tony.protocol.proto.TonyProtos.TaskService;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.token.TokenInfo;

/**
 * Calls that an executor makes to its ApplicationMaster. {@code tony.proto} defines the messages.
 */
@ProtocolInfo(protocolName = "io.tony.protocol.TaskProtocol", protocolVersion = 1)
@TokenInfo(TonyTokenSelector.class)
public interface TaskProtocol extends TaskService.BlockingInterface {}
