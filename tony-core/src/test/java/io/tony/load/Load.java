package io.tony.load;

import io.tony.config.TonyConfig;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.Swarm;
import io.tony.model.TaskKey;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;

/** One job of simulated executors, with the ApplicationMasters that it has one after the other. */
final class Load implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  final Executors executors;
  final Swarm swarm = new Swarm();
  final Follower follower;

  private final Path folder;
  private final String history;
  private final List<String> masterOptions;
  private final JobKey key = JobKey.random(LoadMaster.APPLICATION);
  private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final BlockingQueue<String> stats = new LinkedBlockingQueue<>();
  private Process process;
  private PrintWriter toMaster;
  private volatile CompletableFuture<String> ready;
  private final CompletableFuture<String> finished = new CompletableFuture<>();
  private final List<Long> launches = new ArrayList<>();

  /**
   * Starts nothing yet.
   *
   * @param folder for what both processes read
   * @param history the folder of the event log, on whatever file system
   * @param masterOptions of the ApplicationMaster's JVM
   */
  Load(Map<String, String> values, Path folder, String history, List<String> masterOptions)
      throws IOException {
    this.folder = folder;
    this.history = history;
    this.masterOptions = masterOptions;
    try (Writer file = Files.newBufferedWriter(folder.resolve("job"))) {
      TonyConfig.builder().layer("load", values).build().write(file);
    }
    Credentials credentials = new Credentials();
    key.putInto(credentials);
    credentials.writeTokenStorageFile(
        new org.apache.hadoop.fs.Path(folder.resolve("credentials").toUri()), new Configuration());
    Token<TonyToken> token = key.token(TonyToken.Audience.EXECUTOR);
    executors =
        new Executors(
            swarm,
            new JobToken(token.getIdentifier(), token.getPassword()),
            ended -> say("ended " + Names.of(ended)));
    follower = new Follower(key);
    Thread thread = new Thread(follower, "follower");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts the ApplicationMaster; returns what it says when executors can find it. */
  String startMaster(int attempt) throws IOException, InterruptedException {
    CompletableFuture<String> alive = new CompletableFuture<>();
    swarm.execute(() -> alive.complete(executors.containers()));
    ready = new CompletableFuture<>();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(masterOptions);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            LoadMaster.class.getName(),
            Integer.toString(server.getLocalPort()),
            folder.resolve("job").toString(),
            folder.resolve("credentials").toString(),
            history,
            Integer.toString(attempt)));
    File log = folder.resolve("master-" + attempt + ".log").toFile();
    process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    server.setSoTimeout((int) LIMIT.toMillis());
    Socket socket = server.accept();
    socket.setTcpNoDelay(true);
    toMaster = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    say("alive " + alive.join());
    Thread listener = new Thread(() -> listen(socket), "listener-" + attempt);
    listener.setDaemon(true);
    listener.start();
    return await(ready, "the ApplicationMaster to be ready");
  }

  private void listen(Socket socket) {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", 2);
        switch (words[0]) {
          case "ready" -> ready(words[1]);
          case "launch" -> {
            TaskKey key = Names.key(words[1]);
            synchronized (launches) {
              launches.add(System.nanoTime());
            }
            swarm.execute(() -> executors.launch(key));
          }
          case "kill" -> {
            TaskKey key = Names.key(words[1]);
            swarm.execute(() -> executors.kill(key));
          }
          case "stats" -> stats.add(words[1]);
          case "finished" -> finished.complete(words[1]);
          default -> throw new IllegalArgumentException(line);
        }
      }
    } catch (IOException e) {
      // It was killed.
    }
  }

  private void ready(String line) {
    String[] words = line.split(" ", -1);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[0]));
    executors.masterAt(address, Long.parseLong(words[2]));
    follower.masterAt(address);
    ready.complete(line);
  }

  /** When the first executor was launched. */
  long firstLaunchNanos() {
    synchronized (launches) {
      return launches.isEmpty() ? System.nanoTime() : launches.get(0);
    }
  }

  private synchronized void say(String line) {
    toMaster.println(line);
  }

  /** What its process has taken so far. */
  String stats(boolean collected) throws InterruptedException {
    say(collected ? "gc" : "stats");
    return nextStats();
  }

  String nextStats() throws InterruptedException {
    String line = stats.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (line == null) {
      throw new IllegalStateException("the ApplicationMaster tells nothing, see " + folder);
    }
    return line;
  }

  void killMaster() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** How the job ended. */
  String finished() throws IOException {
    return await(finished, "the job's end");
  }

  private String await(CompletableFuture<String> what, String name) {
    try {
      return what.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(name + " was awaited in vain, see " + folder + ": " + e, e);
    }
  }

  /** Returns the nanoseconds since then. */
  long await(String name, long sinceNanos, BooleanSupplier condition) throws InterruptedException {
    long limit = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - limit > 0 || !process.isAlive()) {
        throw new IllegalStateException(
            name
                + " was awaited in vain: registered "
                + executors.registered
                + ", started "
                + executors.started
                + ", ended "
                + executors.ended
                + ", see "
                + folder);
      }
      Thread.sleep(1);
    }
    return System.nanoTime() - sinceNanos;
  }

  @Override
  public void close() throws IOException {
    follower.stop();
    if (process != null) {
      process.destroyForcibly();
    }
    swarm.close();
    server.close();
  }
}
