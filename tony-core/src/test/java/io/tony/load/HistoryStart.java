package io.tony.load;

import io.tony.history.HistoryIndex;
import io.tony.history.web.HistoryServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The history as a service, from its start on, in a JVM in which nothing is compiled yet: how long
 * it takes until it listens, and how long its answers take. It prints one line of JSON. {@link
 * HistoryRun} has made the logs and the index.
 */
public final class HistoryStart {
  private static final int ANSWERS = 30;
  private static final Duration REFRESH = Duration.ofSeconds(10);
  private static final String PAGE = "/jobs.json?project=project-3&text=out+of+MEMORY&offset=10";

  private HistoryStart() {}

  /** The folder of the logs, and that of the index. */
  public static void main(String[] args) throws Exception {
    long begin = System.nanoTime();
    Path root = new Path(args[0]);
    FileSystem fs = HistoryRun.fileSystem(root);
    HistoryIndex index =
        HistoryRun.index(fs, root, java.nio.file.Path.of(args[1]).resolve(HistoryRun.INDEX));
    HistoryServer server =
        new HistoryServer(
            new YarnConfiguration(),
            fs,
            index,
            InetSocketAddress.createUnresolved("localhost", 0),
            REFRESH,
            Optional.empty());
    server.start();
    long listens = System.nanoTime();
    long[] micros = new long[ANSWERS];
    for (int i = 0; i < ANSWERS; i++) {
      long asked = System.nanoTime();
      ask(server.address());
      micros[i] = (System.nanoTime() - asked) / 1_000;
    }
    long first = micros[0];
    Arrays.sort(micros);
    HistoryRun.print(
        "serve",
        Duration.ofNanos(listens - begin).toMillis(),
        new TreeMap<>(Map.of("firstMicros", first, "medianMicros", micros[ANSWERS / 2])));
    System.exit(0);
  }

  /** Without a client's classes, which would have to be loaded first. */
  private static void ask(InetSocketAddress service) throws IOException {
    try (Socket socket = new Socket(service.getHostString(), service.getPort())) {
      socket
          .getOutputStream()
          .write(
              ("GET " + PAGE + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.ISO_8859_1));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!answer.startsWith("HTTP/1.1 200 ")) {
        throw new IOException(answer);
      }
    }
  }
}
