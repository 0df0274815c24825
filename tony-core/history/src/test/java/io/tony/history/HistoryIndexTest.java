package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.LogTail;
import io.tony.history.JobSummary.Status;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AccessControlException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class HistoryIndexTest {
  private static final Instant TODAY = Instant.parse("2026-11-23T12:00:00Z");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final CopyOnWriteArrayList<String> opened = new CopyOnWriteArrayList<>();
  private final Set<String> forbidden = new HashSet<>();
  private Instant now = TODAY;
  private Path ada;
  private Path bob;
  private Path file;
  private FileSystem fs;

  @Before
  public void begin() throws IOException {
    ada = home("ada");
    bob = home("bob");
    file = folder.getRoot().toPath().resolve("cache/index.jsonl");
    fs = new Watched();
  }

  /** The local file system, of which some folders may not be read. */
  private final class Watched extends FilterFileSystem {
    Watched() throws IOException {
      super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
    }

    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path path, int size) throws IOException {
      opened.add(path.getParent().getName());
      return super.open(path, size);
    }

    private void refuse(org.apache.hadoop.fs.Path path) throws AccessControlException {
      if (forbidden.stream().anyMatch(path.toString()::contains)) {
        throw new AccessControlException("Permission denied");
      }
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(org.apache.hadoop.fs.Path path)
        throws IOException {
      refuse(path);
      return super.listStatusIterator(path);
    }

    @Override
    public FileStatus[] listStatus(org.apache.hadoop.fs.Path path) throws IOException {
      refuse(path);
      return super.listStatus(path);
    }
  }

  @After
  public void close() throws Exception {
    for (AutoCloseable index : open) {
      index.close();
    }
  }

  private Path home(String user) throws IOException {
    return Files.createDirectories(
        folder.getRoot().toPath().resolve("user/" + user + "/.tony/history"));
  }

  private HistoryIndex index() throws IOException {
    HistoryIndex index =
        new HistoryIndex(
            fs, List.of(folder.getRoot() + "/user/*/.tony/history"), file, 4, () -> now);
    open.add(index);
    return index;
  }

  /** As the next process finds it. */
  private HistoryIndex next(HistoryIndex before) throws IOException {
    before.close();
    opened.clear();
    return index();
  }

  private static List<String> names(HistoryIndex index) {
    return index.page(JobFilter.ALL, 0, 100).jobs().stream().map(JobSummary::name).toList();
  }

  private static Status status(HistoryIndex index, int number) {
    return index.logs(RecordedJobs.id(number)).get(0).job().status();
  }

  @Test
  public void shouldListTheJobsOfAllUsersNewestFirst() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.writeEnded(bob, 2);
    RecordedJobs.write(ada, 3, RecordedJobs.begin(3));
    Files.createDirectories(ada.resolve("notes"));
    HistoryIndex index = index();

    assertEquals(List.of(), names(index));
    assertEquals(new HistoryIndex.Update(3, 3, 0, 0), index.update());

    assertEquals(List.of("train-3", "train-2", "train-1"), names(index));
    assertEquals(Status.RUNNING, status(index, 3));
    HistoryIndex.Page page = index.page(JobFilter.ALL.withStatus(Status.SUCCEEDED), 1, 1);
    assertEquals(2, page.total());
    assertEquals("train-1", page.jobs().get(0).name());
  }

  @Test
  public void shouldReadOnlyWhatIsNewOrHasNotEnded() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.write(ada, 2, RecordedJobs.begin(2));
    HistoryIndex index = index();
    index.update();
    opened.clear();
    RecordedJobs.write(ada, 2, RecordedJobs.end(0.5));
    RecordedJobs.writeEnded(ada, 3);

    assertEquals(2, index.update().readCount());

    assertEquals(Set.of(RecordedJobs.id(2), RecordedJobs.id(3)), new HashSet<>(opened));
    assertEquals(Status.SUCCEEDED, status(index, 2));
    assertEquals(0, index.update().readCount());
  }

  @Test
  public void shouldRememberTheJobsThatHaveEnded() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.write(ada, 2, RecordedJobs.begin(2));
    HistoryIndex index = index();
    index.update();
    JobSummary before = index.logs(RecordedJobs.id(1)).get(0).job();

    HistoryIndex later = next(index);

    assertEquals(before, later.logs(RecordedJobs.id(1)).get(0).job());
    later.update();
    assertEquals(Set.of(RecordedJobs.id(2)), new HashSet<>(opened));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  public void shouldForgetJobsWhoseFolderIsGone() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.writeEnded(ada, 2);
    RecordedJobs.write(ada, 3, RecordedJobs.begin(3));
    HistoryIndex index = index();
    index.update();
    for (int number : new int[] {1, 3}) {
      delete(ada.resolve(RecordedJobs.id(number)));
    }

    assertEquals(1, index.update().removedCount());

    assertEquals(List.of("train-2"), names(index));
    assertEquals(List.of("train-2"), names(next(index)));
  }

  private static void delete(Path job) throws IOException {
    try (Stream<Path> files = Files.list(job)) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(job);
  }

  @Test
  public void shouldLeaveOutALastLineThatWasCutShort() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.writeEnded(ada, 2);
    HistoryIndex index = index();
    index.update();
    index.close();
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() - 30));

    HistoryIndex later = next(index);
    assertEquals(1, names(later).size());
    assertEquals(1, later.update().readCount());
    assertEquals(2, names(later).size());
    assertEquals("it was made anew", 2, names(next(later)).size());
  }

  @Test
  public void shouldMakeAnIndexAnewThatCannotBeRead() throws Exception {
    for (String damaged :
        List.of("", "{\"tonyHistoryIndex\":99}\n{}\n", "\u0000\u0001", "no index\nat all\n")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, damaged, StandardCharsets.UTF_8);
      RecordedJobs.writeEnded(ada, 1);
      HistoryIndex index = index();

      assertEquals(damaged, List.of(), names(index));
      index.update();

      assertEquals(damaged, List.of("train-1"), names(next(index)));
      close();
    }
  }

  @Test
  public void shouldReadWhatADamagedIndexLacks() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.writeEnded(ada, 2);
    HistoryIndex index = index();
    index.update();
    index.close();
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.set(1, "{}");
    Files.write(file, lines);

    HistoryIndex later = next(index);
    later.update();

    assertEquals(List.of("train-2", "train-1"), names(later));
    assertEquals(2, names(next(later)).size());
  }

  @Test
  public void shouldCountWhatMayNotBeRead() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    RecordedJobs.writeEnded(ada, 2);
    RecordedJobs.writeEnded(bob, 3);
    forbidden.add("/bob/");
    forbidden.add(RecordedJobs.id(2));
    HistoryIndex index = index();

    assertEquals(new HistoryIndex.Update(1, 2, 0, 2), index.update());

    assertEquals(List.of("train-1"), names(index));
    forbidden.clear();
    assertEquals(0, index.update().unreadableCount());
    assertEquals(3, names(index).size());
  }

  /** What somebody may not read any more, the index does not show any more either. */
  @Test
  public void shouldForgetWhatMayNotBeReadAnyMore() throws Exception {
    RecordedJobs.writeEnded(bob, 1);
    HistoryIndex index = index();
    index.update();
    forbidden.add("/bob/");

    index.update();

    assertEquals(List.of(), names(index));
  }

  @Test
  public void shouldCallAJobLostOfWhichNobodyTellsAnything() throws Exception {
    RecordedJobs.write(ada, 1, RecordedJobs.begin(1));
    Files.createDirectories(ada.resolve(RecordedJobs.id(2)));
    age(1, now.minus(SummaryReader.LOST_AFTER).plusSeconds(1));
    age(2, now.minus(SummaryReader.LOST_AFTER).plusSeconds(1));
    HistoryIndex index = index();
    index.update();
    assertEquals(Status.RUNNING, status(index, 1));
    assertEquals("nothing is known of it", List.of(), index.logs(RecordedJobs.id(2)));

    now = now.plusSeconds(1);
    index.update();

    assertEquals(Status.LOST, status(index, 1));
    assertEquals(Status.LOST, status(index, 2));
    assertEquals(0, index.update().readCount());
  }

  @Test
  public void shouldFindAJobAgainThatWasCalledLost() throws Exception {
    RecordedJobs.write(ada, 1, RecordedJobs.begin(1));
    age(1, now.minus(SummaryReader.LOST_AFTER));
    HistoryIndex index = index();
    index.update();
    assertEquals(Status.LOST, status(index, 1));

    RecordedJobs.write(ada, 1, List.of(new JobFact.Finished(JobResult.killed("tony kill"))));
    age(1, now);
    index.update();

    assertEquals(Status.KILLED, status(index, 1));
    assertEquals(Status.KILLED, status(next(index), 1));
  }

  /** When a job's files were written last. */
  private void age(int number, Instant last) throws IOException {
    Path job = ada.resolve(RecordedJobs.id(number));
    try (Stream<Path> files = Files.list(job)) {
      for (Path each : files.toList()) {
        Files.setLastModifiedTime(each, FileTime.from(last));
      }
    }
    Files.setLastModifiedTime(job, FileTime.from(last));
  }

  @Test
  public void shouldReadNothingBehindALineThatIsNoEvent() throws Exception {
    RecordedJobs.write(ada, 1, RecordedJobs.begin(1));
    Path log = ada.resolve(RecordedJobs.id(1)).resolve("events.jsonl");
    Files.writeString(log, "damaged\n", StandardOpenOption.APPEND);
    RecordedJobs.write(ada, 1, RecordedJobs.end(0.5));
    age(1, now.minus(SummaryReader.LOST_AFTER));
    HistoryIndex index = index();

    index.update();

    JobSummary job = index.logs(RecordedJobs.id(1)).get(0).job();
    assertEquals(Status.LOST, job.status());
    assertTrue(job.message(), job.message().contains("its event log is damaged"));
  }

  @Test
  public void shouldLeaveTheFileToTheProcessThatHasIt() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    HistoryIndex index = index();
    index.update();
    RecordedJobs.writeEnded(ada, 2);
    String before = Files.readString(file);

    HistoryIndex second = index();
    second.update();

    assertEquals(2, names(second).size());
    assertEquals(before, Files.readString(file));
  }

  /** Every user writes logs: one that is forged must not keep the others from anybody. */
  @Test
  public void shouldShowTheOthersBesideAForgedLog() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    Path log = ada.resolve(RecordedJobs.id(1)).resolve("events.jsonl");
    String forged = Files.readString(log).replace("2026-11-23T08:01", "+1000000000-12-31T23:59");
    Files.writeString(log, forged);
    RecordedJobs.writeEnded(bob, 2);
    HistoryIndex index = index();

    index.update();

    assertTrue("" + names(index), names(index).contains("train-2"));
    index.page(JobFilter.ALL, 0, 10).jobs().forEach(SummaryJson::write);
    FlowGoodput.of(index, JobFilter.ALL);
  }

  @Test
  public void shouldShowWhatItCannotKeepAndKeepItTheNextTime() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    HistoryIndex index = index();
    Path inTheWay = file.resolveSibling(file.getFileName() + ".next");
    Files.createDirectories(inTheWay.resolve("something"));

    index.update();

    assertEquals(List.of("train-1"), names(index));
    Files.delete(inTheWay.resolve("something"));
    Files.delete(inTheWay);
    index.update();
    assertEquals(List.of("train-1"), names(next(index)));
  }

  @Test
  public void shouldShowWhatThereIsWhereItsFileCannotBeOpened() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    Files.createDirectories(file.resolveSibling(file.getFileName() + ".lock"));
    HistoryIndex index = index();

    index.update();

    assertEquals(List.of("train-1"), names(index));
  }

  @Test
  public void shouldWriteTheFileOnceTheOtherProcessLeavesIt() throws Exception {
    HistoryIndex first = index();
    HistoryIndex second = index();
    RecordedJobs.writeEnded(ada, 1);
    second.update();
    first.close();

    second.update();

    assertEquals(List.of("train-1"), names(next(second)));
  }

  @Test
  public void shouldGiveTheEventsOfOneJob() throws Exception {
    RecordedJobs.writeEnded(ada, 1);
    HistoryIndex index = index();
    index.update();
    List<String> lines = new ArrayList<>();

    new LogTail(fs, index.logs(RecordedJobs.id(1)).get(0).folder())
        .read((line, event) -> lines.add(line));

    assertEquals(8, lines.size());
    assertEquals(List.of(), index.logs(RecordedJobs.id(9)));
  }

  @Test
  public void shouldShowThatALogCannotBeReadAndNotReadItAgain() throws Exception {
    RecordedJobs.write(ada, 1, RecordedJobs.begin(1));
    Files.writeString(
        ada.resolve(RecordedJobs.id(1)).resolve("events.jsonl"),
        "x".repeat(17 * 1024 * 1024),
        StandardOpenOption.APPEND);
    HistoryIndex index = index();
    index.update();
    JobSummary job = index.logs(RecordedJobs.id(1)).get(0).job();
    assertEquals(Status.LOST, job.status());
    assertTrue(job.message(), job.message().contains("longer than 1 MiB"));
    assertEquals("what stood before it", "train-1", job.name());
    assertEquals(0, index.update().readCount());
  }

  @Test
  public void shouldAnswerWithFewerJobsWhereTheyHoldMuch() throws Exception {
    Map<String, String> outputs = new HashMap<>();
    for (int i = 0; i < SummaryBuilder.MAX_OUTPUTS; i++) {
      outputs.put("x".repeat(190) + i, "1");
    }
    for (int i = 1; i <= 200; i++) {
      RecordedJobs.write(ada, i, RecordedJobs.begin(i));
      RecordedJobs.write(
          ada, i, List.of(new TaskFact.Succeeded(new TaskId("worker", 0), outputs, "")));
    }
    HistoryIndex index = index();
    index.update();
    HistoryIndex.Page page = index.boundedPage(JobFilter.ALL, 0, 1_000);
    assertEquals(200, page.total());
    int bytes = page.jobs().stream().mapToInt(JobSummary::bytes).sum();
    int most = bytes / page.jobs().size() + (int) HistoryIndex.MAX_PAGE_BYTES;
    assertTrue(bytes + " bytes", bytes >= HistoryIndex.MAX_PAGE_BYTES && bytes <= most);
    assertEquals(50, index.boundedPage(JobFilter.ALL, 0, 50).jobs().size());
    assertEquals(200, index.page(JobFilter.ALL, 0, 1_000).jobs().size());
  }
}
