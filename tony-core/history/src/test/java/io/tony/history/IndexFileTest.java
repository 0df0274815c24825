package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class IndexFileTest {
  private static final List<String> PATTERNS = List.of("/user/*/.tony/history");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static IndexedJob job(int number) {
    return new IndexedJob(
        "/user/ada/.tony/history", 1, new SummaryBuilder(RecordedJobs.id(number)).build());
  }

  private List<String> told(Path path) throws IOException {
    List<String> told = new ArrayList<>();
    try (IndexFile file = new IndexFile(path, PATTERNS)) {
      file.read(
          new IndexFile.IndexListener() {
            @Override
            public void onAdded(IndexedJob job) {
              told.add("+" + job.summary().application());
            }

            @Override
            public void onRemoved(String history, String application) {
              told.add("-" + application);
            }
          });
    }
    return told;
  }

  @Test
  public void shouldAddToTheFileAndMakeItAnewWhenMostOfItIsOfNoUse() throws IOException {
    Path path = folder.getRoot().toPath().resolve("index.jsonl");
    int most = 0;
    try (IndexFile file = new IndexFile(path, PATTERNS)) {
      file.write(List.of(job(0)), List.of(), List.of(job(0)));
      for (int i = 1; i <= 1_500; i++) {
        file.write(List.of(job(i)), List.of(job(i - 1)), List.of(job(i)));
        most = Math.max(most, i % 100 == 0 ? Files.readAllLines(path).size() : 0);
      }
    }

    assertTrue("" + most, most > 500 && most < 1_010);
    List<String> told = told(path);
    assertEquals("+" + RecordedJobs.id(1_500), told.get(told.size() - 1));
  }

  @Test
  public void shouldNotTakeAnIndexOfOtherFolders() throws IOException {
    Path path = folder.getRoot().toPath().resolve("index.jsonl");
    try (IndexFile file = new IndexFile(path, List.of("/elsewhere"))) {
      file.write(List.of(job(0)), List.of(), List.of(job(0)));
    }

    assertEquals(List.of(), told(path));
  }
}
