package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A process with an ApplicationMaster's RPC server, and the strangers that call it: each announces
 * a message and goes on to hold, to trickle, or to hang up. It ends with 0 when an executor has
 * been served meanwhile.
 */
final class AttackedMaster {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");
  private static final byte[] GREETING = {'h', 'r', 'p', 'c', 9, 0, (byte) 0xdf};

  /** The longest that Hadoop takes by itself, what is taken here, and what is none. */
  private static final int[] LENGTHS = {
    128 << 20,
    ReportLimits.MAX_MESSAGE_BYTES,
    ReportLimits.MAX_MESSAGE_BYTES - 1,
    ReportLimits.MAX_MESSAGE_BYTES + 1,
    ReportLimits.MAX_MESSAGE_BYTES - 100,
    ReportLimits.MAX_MESSAGE_BYTES / 2,
    ReportLimits.MAX_MESSAGE_BYTES - 1000,
    64 * 1024,
    -1,
    ReportLimits.MAX_MESSAGE_BYTES - 2000,
    0
  };

  private AttackedMaster() {}

  public static void main(String[] args) throws Exception {
    int strangers = Integer.parseInt(args[1]);
    List<Socket> held = new ArrayList<>();
    try (ServedJob served =
        new ServedJob(job().workers(1).spec(), new ServedJob.SetClock(), new File(args[0]))) {
      served.server.expect(WORKER);
      TaskProtocol before = served.executor();
      beat(before);
      for (int i = 0; i < strangers; i++) {
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), served.server.address().getPort());
        held.add(socket);
        say(
            socket,
            i % 10 == 9
                ? "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)
                : announced(i));
        if (i % 7 == 0) {
          socket.close();
        }
        say(held.get(i / 2), new byte[] {0});
      }
      beat(before);
      beat(served.executor(served.key.token(TonyToken.Audience.EXECUTOR)));
    }
    System.exit(0);
  }

  private static byte[] announced(int i) {
    return ByteBuffer.allocate(GREETING.length + 4)
        .put(GREETING)
        .putInt(LENGTHS[i % LENGTHS.length])
        .array();
  }

  private static void say(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // The server has heard enough.
    }
  }

  private static void beat(TaskProtocol executor) throws Exception {
    executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
  }
}
