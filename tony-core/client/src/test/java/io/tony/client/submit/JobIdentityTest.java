package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class JobIdentityTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private static JobIdentity job(String path) {
    return new JobIdentity(List.of("ads", "nightly", "4711", path));
  }

  /** The longest names that were folders before names were cut are so still. */
  @Test
  public void shouldKeepAFolderNameThatFits() {
    assertEquals("ads.nightly.4711.train-", withoutHash(job("train").folderName()));
    String longest = "t".repeat(255 - "ads.nightly.4711.-0123456789abcdef".length());
    assertEquals("ads.nightly.4711." + longest + "-", withoutHash(job(longest).folderName()));
    assertEquals(255, job(longest).folderName().length());
  }

  private static String withoutHash(String name) {
    return name.substring(0, name.length() - 16);
  }

  @Test
  public void shouldCutALongerFolderNameToWhatAFileSystemTakes() throws IOException {
    String path = "flow:".repeat(80) + "größe-train";
    JobIdentity job =
        new JobIdentity(List.of("p".repeat(400), "f".repeat(400), "4711", "x".repeat(400) + path));

    String name = job.folderName();

    assertTrue(name, name.matches("[A-Za-z0-9._-]{200}"));
    assertTrue(name, name.endsWith("gr__e-train-" + job.hash()));
    Path folder = temporary.getRoot().toPath().resolve(name);
    assertEquals(folder, Files.createDirectory(folder));
    assertNotEquals(name, job("y".repeat(400) + path).folderName());
  }
}
