package io.tony.am.rpc;

import org.apache.hadoop.ipc.Client;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.util.concurrent.AsyncGet;

/** Calls of this thread that return when they are sent, and are answered later. */
final class AsyncCalls implements AutoCloseable {
  AsyncCalls() {
    Client.setAsynchronousMode(true);
  }

  /** The answer to the call that was just made. */
  AsyncGet<Message, Exception> sent() {
    return ProtobufRpcEngine2.getAsyncReturnMessage();
  }

  @Override
  public void close() {
    Client.setAsynchronousMode(false);
  }
}
