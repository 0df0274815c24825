package io.tony.client.inspect;

import io.tony.client.follow.ReportedYarn;
import io.tony.client.follow.SampleEvents;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.container.Staging;
import io.tony.event.Fact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import io.tony.protocol.JobKey;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;

/**
 * An application as commands find it that look at it: in YARN, in its folders, and what is told.
 */
public final class InspectedJob {
  public final Configuration conf = new Configuration();
  public final ReportedYarn yarn = new ReportedYarn();

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  public final JobLog out = new JobLog(new BufferedOutputStream(told));

  private final Path root;
  private final TonyConfig config;

  public InspectedJob(Path root) {
    this.root = root;
    this.config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    ClientOptions.HISTORY_LOCATION.key(), root.resolve("history").toUri() + "",
                    ClientOptions.STAGING_LOCATION.key(), root.resolve("staging").toUri() + ""))
            .build();
  }

  public ApplicationView inspected() throws InvalidJobException, IOException {
    return ApplicationView.of(conf, yarn, config, ReportedYarn.APPLICATION.toString());
  }

  /** YARN shows no ApplicationMaster that can be asked. */
  public void show(YarnApplicationState state) {
    yarn.show(state, 1, "N/A", -1);
  }

  /** It runs, and its ApplicationMaster listens here. */
  public void showMaster(InetSocketAddress address, JobKey key) throws IOException {
    Credentials credentials = new Credentials();
    key.putInto(credentials);
    Staging staging = staging();
    staging.create();
    staging.writeCredentials(credentials);
    yarn.show(YarnApplicationState.RUNNING, 1, address.getHostString(), address.getPort());
  }

  public Staging staging() throws IOException {
    return new Staging(
        FileSystem.get(conf),
        root.resolve("staging").toUri() + "",
        ReportedYarn.APPLICATION.toString());
  }

  public Path logFolder() {
    return root.resolve("history").resolve(ReportedYarn.APPLICATION.toString());
  }

  /** Adds to the event log of the application; returns the line. */
  public String write(JobEvent event) throws IOException {
    Files.createDirectories(logFolder());
    String line = EventJson.write(event);
    Files.writeString(
        logFolder().resolve("events.jsonl"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    return line;
  }

  public String write(Fact fact) throws IOException {
    return write(fact.toEvent(SampleEvents.START, 0));
  }

  /** What has reached whoever reads it. */
  public List<String> lines() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** The same with what nobody has passed on yet. */
  public List<String> allLines() {
    out.flush();
    return lines();
  }
}
