package io.tony.load;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.loop.AmLoop;
import io.tony.am.machine.ContainerPort;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobState;
import io.tony.am.machine.JobStateReducer;
import io.tony.am.machine.LaunchPort;
import io.tony.am.machine.MachinePorts;
import io.tony.am.rendezvous.GangStores;
import io.tony.am.rpc.AmServer;
import io.tony.am.rpc.RpcPort;
import io.tony.am.rpc.StartMessages;
import io.tony.am.rpc.TokenUpdates;
import io.tony.am.usage.Adviser;
import io.tony.am.usage.Metrics;
import io.tony.am.usage.Stragglers;
import io.tony.am.usage.UsageJournal;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.eventlog.EventLog;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.protocol.JobKey;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Runtimes;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ApplicationMaster of a load: all its parts but those that speak to YARN. Whoever started it
 * brings up its executors: by lines over a socket it says which, and is told which have ended.
 */
public final class LoadMaster implements ContainerPort, LaunchPort {
  static final String APPLICATION = "application_1700000000000_0001";
  private static final String HOST = "127.0.0.1";

  private static final Logger LOG = LoggerFactory.getLogger(LoadMaster.class);

  private final InstantSource clock = InstantSource.system();
  private final PrintWriter out;
  private final BufferedReader in;
  private int containers;
  private final int attempt;
  private AmServer server;
  private volatile AmLoop events;

  private LoadMaster(Socket socket, int attempt) throws IOException {
    this.attempt = attempt;
    out = new PrintWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
    in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8), 1 << 20);
  }

  /** The port to speak to, the configuration, the credentials, the folder, and which it is. */
  public static void main(String[] args) {
    int exit = 1;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]))) {
      socket.setTcpNoDelay(true);
      TonyConfig config;
      try (BufferedReader reader = Files.newBufferedReader(java.nio.file.Path.of(args[1]))) {
        config = TonyConfig.read(reader);
      }
      Configuration conf = new Configuration();
      Credentials credentials =
          Credentials.readTokenStorageFile(new File(args[2]), new Configuration(false));
      new LoadMaster(socket, Integer.parseInt(args[4])).run(conf, config, credentials, args[3]);
      exit = 0;
    } catch (Throwable e) {
      LOG.error("The load's ApplicationMaster cannot go on", e);
    } finally {
      System.exit(exit);
    }
  }

  private void run(Configuration conf, TonyConfig config, Credentials credentials, String folder)
      throws IOException, InterruptedException {
    Problems problems = new Problems();
    JobSpec job =
        JobSpecReader.read(config, problems)
            .orElseThrow(() -> new IllegalArgumentException(problems.errors().toString()));
    Set<String> alive = alive();
    long begin = System.nanoTime();
    FileSystem fs = FileSystem.get(URI.create(folder), conf);
    if (fs instanceof LocalFileSystem local) {
      fs = local.getRawFileSystem(); // the other keeps what was flushed
    }
    EventLog log =
        EventLog.create(
            fs,
            EventLog.folder(new Path(folder), APPLICATION),
            attempt,
            clock,
            () -> Runtime.getRuntime().halt(2));
    List<JobEvent> earlier = new ArrayList<>();
    log.readEarlier(earlier::add);
    JobState state = JobStateReducer.of(job, 1, earlier);
    AmLoop loop = new AmLoop(state, clock, System::nanoTime);
    FrameworkRuntime runtime = Runtimes.load().forMaster(job.framework());
    Metrics metrics = new Metrics(job, clock);
    GangStores stores = new GangStores(runtime.store(), HOST, PortRange.ANY);
    JobKey jobKey = JobKey.from(credentials, APPLICATION);
    server =
        new AmServer(
            new RpcPort(conf, HOST, PortRange.ANY, RpcPort.HANDLERS, jobKey).bind(),
            new AmServer.ServerConfig(
                job.limits(),
                new StartMessages(
                    job,
                    runtime,
                    stores::equip,
                    APPLICATION,
                    "hdfs:///c",
                    false,
                    0,
                    StartCheckpoints.NONE),
                new TokenUpdates(UserGroupInformation.getCurrentUser()),
                true),
            log,
            loop,
            metrics,
            clock,
            AwakeClock.get());
    Collection<TaskKey> held = state.taskKeysIn(alive);
    server.adopt(held);
    UsageJournal journal =
        new UsageJournal(
            log,
            metrics,
            Adviser.of(job, config, 1),
            new Stragglers(job, Duration.ofSeconds(5)),
            Duration.ofSeconds(5),
            clock);
    earlier.forEach(journal::replay);
    journal.start();
    events = loop;
    Thread listener = new Thread(this::listen, "listener");
    listener.setDaemon(true);
    listener.start();
    JobResult result =
        loop.run(
            new Event.AmReady(clock.instant(), attempt, HOST, alive),
            new MachinePorts(this, this, server, url -> {}, () -> ready(begin, job), whole -> {}),
            journal);
    log.close();
    say("stats " + Footprint.now());
    server.finish();
    say("finished " + result.status());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (server.connected() && System.nanoTime() < deadline) {
      Thread.sleep(10); // clients take their answer and go
    }
    in.close();
  }

  /** The first line that it is told: the containers that are left of an earlier one. */
  private Set<String> alive() throws IOException {
    Set<String> alive = new TreeSet<>(Set.of(in.readLine().split(" ", -1)));
    alive.remove("alive");
    return alive;
  }

  private void ready(long begin, JobSpec job) {
    server.markPublished();
    say(
        "ready "
            + server.address().getPort()
            + " "
            + (System.nanoTime() - begin) / 1_000_000
            + " "
            + job.limits().heartbeatInterval().toMillis());
  }

  private void listen() {
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "ended" ->
              server
                  .containerEventSink()
                  .offer(
                      new Event.ContainerEnded(
                          clock.instant(),
                          Names.key(words[1]),
                          FailureKind.LOST,
                          "its container has ended"));
          case "stats" -> say("stats " + Footprint.now());
          case "gc" -> say("stats " + Footprint.afterCollection());
          default -> throw new IllegalArgumentException(line);
        }
      }
    } catch (IOException e) {
      // It has ended, and this process is about to.
    }
    Runtime.getRuntime().halt(3);
  }

  private void say(String line) {
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }

  // ---- What stands for YARN ----

  @Override
  public void request(RoleSpec role, int count) {
    for (int i = 0; i < count; i++) {
      String container =
          "container_e01_1700000000000_0001_%02d_%06d".formatted(attempt, ++containers);
      events.offer(
          new Event.ContainerAllocated(
              clock.instant(),
              role.name(),
              container,
              "node-" + containers % 1000,
              "http://node-" + containers % 1000 + ":8042/node/containerlogs/" + container));
    }
  }

  @Override
  public void cancel(RoleSpec role, int count) {}

  @Override
  public void release(String container) {}

  @Override
  public void avoid(Set<String> nodes) {}

  @Override
  public void launch(TaskKey key) {
    say("launch " + Names.of(key));
  }

  @Override
  public void move(TaskKey to) {
    throw new AssertionError("no gang here is elastic: " + to);
  }

  @Override
  public void stop(TaskKey key) {
    say("kill " + Names.of(key));
  }
}
