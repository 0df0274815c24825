package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.input.Arguments;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class ConsoleTest {
  private static final CompletableFuture<Thread> MADE = new CompletableFuture<>();

  @Rule public final Timeout limit = Timeout.seconds(60);

  /** Tells who makes it. */
  public static final class Told extends RawLocalFileSystem {
    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
      MADE.complete(Thread.currentThread());
      super.initialize(uri, conf);
    }
  }

  @Test
  public void shouldMakeTheFileSystemBesideWhatElseIsDone() {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("fs.defaultFS", "told:///");
    conf.setClass("fs.told.impl", Told.class, RawLocalFileSystem.class);

    new Console(conf, Login.byTicket(), new JobLog(System.out), null).prepareFileSystem();

    assertNotEquals(Thread.currentThread(), MADE.join());
  }

  @Test
  public void shouldKeepNothingWhereItIsToldTo() {
    assertEquals(Optional.empty(), Console.cacheFolder(Map.of("TONY_CACHE", "none")));
    assertEquals(
        Optional.of(Path.of("/var/cache/ada")),
        Console.cacheFolder(Map.of("TONY_CACHE", "/var/cache/ada")));
    assertTrue(Console.cacheFolder(Map.of()).orElseThrow().endsWith(".cache/tony"));
  }

  @Test
  public void shouldWarnOfPropertiesOfWhichTheJobTypeGivesOnlyTheNames() throws Exception {
    Path file = Files.createTempFile("job", ".properties");
    Files.writeString(
        file,
        """
        executes=true
        task_env.TOKEN=x1y2z3
        site.tony.worker.env.API_KEY=a
        other.Executes=
        other.db.password=
        other.queue=
        """);
    Arguments arguments =
        Arguments.parse(List.of("-job_file", file.toString()), JobSources.OPTION_NAMES, Set.of());

    Map<String, String> properties = new HashMap<>();
    JobSources.read(
        arguments,
        Map.of(),
        JobFolder.of(file.getParent()),
        new Configuration(false),
        properties::putAll);

    List<String> warnings = Console.propertyWarnings(properties, true);

    assertEquals(warnings.toString(), 3, warnings.size());
    assertEquals("Executes has no effect: did you mean executes?", warnings.get(0));
    assertTrue(warnings.get(1), warnings.get(1).startsWith("queue has no effect in a step"));
    assertTrue(
        warnings.get(2), warnings.get(2).startsWith("db.password, task_env.TOKEN look like a"));
    warnings = Console.propertyWarnings(properties, false);
    assertEquals("nobody else reads the properties: " + warnings, 2, warnings.size());
    Files.delete(file);
  }

  @Test
  public void shouldSayThatAzkabanEndsAStep() {
    assertEquals("a signal to its client", Console.signalSender(Map.of()));
    assertEquals(
        "a kill in Azkaban (by a person or an SLA)",
        Console.signalSender(Map.of("TONY_JOB_ALLOWED_FOLDERS", "/x")));
    assertEquals(
        "a kill in Azkaban (by a person, an SLA or the end of the execution's container)",
        Console.signalSender(Map.of("TONY_JOB_ALLOWED_FOLDERS", "/x", "TONY_AZKABAN_POD", "true")));
  }
}
