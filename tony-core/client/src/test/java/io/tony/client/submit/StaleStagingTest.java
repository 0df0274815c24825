package io.tony.client.submit;

import static org.junit.Assert.assertEquals;

import io.tony.client.application.YarnLookup;
import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import io.tony.eventlog.ApplicationLiveness;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class StaleStagingTest {
  private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
  private static final String OWN = "application_1700000000000_0009";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;

  @Before
  public void open() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
  }

  private Path location() {
    return new Path(temporary.getRoot().toURI());
  }

  private Staging own() {
    return new Staging(fs, location().toString(), OWN);
  }

  private void left(String name, Duration age) throws IOException {
    Path folder = new Path(location(), name);
    fs.mkdirs(new Path(folder, "src"));
    fs.setTimes(folder, NOW.minus(age).toEpochMilli(), -1);
  }

  private Set<String> folders() throws IOException {
    return Arrays.stream(fs.listStatus(location()))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void sweep(YarnLookup scheduler) {
    new StagingCleanup(scheduler, () -> NOW).sweep(own());
  }

  private static YarnLookup knows(Map<Integer, ApplicationLiveness> applications) {
    return id -> applications.getOrDefault(id.getId(), ApplicationLiveness.UNKNOWN);
  }

  @Test
  public void shouldDeleteWhatAJobLeftThatHasEndedLongAgo() throws IOException {
    left("application_1700000000000_0001", Duration.ofMinutes(61));
    left("application_1700000000000_0002", Duration.ofMinutes(59));
    left("application_1700000000000_0003", Duration.ofDays(30));
    left(OWN, Duration.ZERO);

    sweep(
        knows(
            Map.of(
                1, ApplicationLiveness.ENDED,
                2, ApplicationLiveness.ENDED,
                3, ApplicationLiveness.ALIVE)));

    assertEquals(
        Set.of("application_1700000000000_0002", "application_1700000000000_0003", OWN), folders());
  }

  @Test
  public void shouldDeleteWhatAJobLeftThatYarnHasForgotten() throws IOException {
    left("application_1700000000000_0001", Duration.ofDays(8));
    left("application_1700000000000_0002", Duration.ofDays(6));

    sweep(knows(Map.of()));

    assertEquals(Set.of("application_1700000000000_0002"), folders());
  }

  /** Of a NameNode it has that it knows who may write to a file yet. */
  private static final class Leases extends RawLocalFileSystem implements LeaseRecoverable {
    private final Path open;

    Leases(Path open) {
      this.open = open;
      setConf(new Configuration());
    }

    @Override
    public boolean isFileClosed(Path file) {
      return !makeQualified(file).equals(makeQualified(open));
    }

    @Override
    public boolean recoverLease(Path file) {
      throw new AssertionError("nobody is fenced");
    }
  }

  @Test
  public void shouldLeaveWhatAnApplicationMasterOfAnotherYarnWorksWith() throws IOException {
    Path history = new Path(location(), "history");
    String works = "application_1700000000000_0001";
    String ended = "application_1700000000000_0002";
    fs = new Leases(new Path(history, works + "/events.jsonl"));
    fs.initialize(location().toUri(), new Configuration());
    for (String job : List.of(works, ended)) {
      Staging staging = new Staging(fs, location().toString(), job);
      staging.create();
      staging.writeConfig(
          TonyConfig.builder()
              .layer("test", Map.of("tony.history.location", history.toString()))
              .build());
      fs.create(new Path(history, job + "/events.jsonl")).close();
      left(job, Duration.ofDays(8));
    }

    sweep(knows(Map.of()));

    assertEquals(Set.of(works, "history"), folders());
  }

  @Test
  public void shouldGoOnBehindOneOfWhichNothingIsKnown() throws IOException {
    String unknown = "application_1700000000000_0001";
    String later = "application_1700000000000_0002";
    Staging staging = new Staging(fs, location().toString(), unknown);
    staging.create();
    staging.writeConfig(
        TonyConfig.builder()
            .layer("test", Map.of("tony.history.location", "nofs://away/history"))
            .build());
    left(unknown, Duration.ofDays(8));
    left(later, Duration.ofDays(8));

    sweep(knows(Map.of()));

    assertEquals(Set.of(unknown), folders());
  }

  @Test
  public void shouldLeaveWhatIsNoJobs() throws IOException {
    left("notes", Duration.ofDays(30));
    left("application_x", Duration.ofDays(30));

    sweep(knows(Map.of()));

    assertEquals(Set.of("application_x", "notes"), folders());
  }

  @Test
  public void shouldDeleteNothingWhenYarnDoesNotAnswer() throws IOException {
    left("application_1700000000000_0001", Duration.ofDays(30));

    sweep(
        id -> {
          throw new YarnException("the ResourceManager is away");
        });

    assertEquals(Set.of("application_1700000000000_0001"), folders());
  }

  @Test
  public void shouldDoNothingWhereThereIsNoStaging() throws IOException {
    Staging nowhere = new Staging(fs, location() + "/none", OWN);

    new StagingCleanup(knows(Map.of()), () -> NOW).sweep(nowhere);

    assertEquals(Set.of(), folders());
  }
}
