package io.tony.executor.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.process.Spawner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CheckpointWorkFoldersTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** A copy that was given up deletes its links, and must not meet those of the next program. */
  @Test
  public void shouldHaveNothingInCommonWithTheStartBefore() throws Exception {
    Path folder = temporary.getRoot().toPath();
    CheckpointWorkFolders before = CheckpointWorkFolders.create(folder, Spawner.SYSTEM);
    Files.writeString(before.namesFile(), "a\n");
    Files.writeString(before.localFolder().resolve("a"), "a");

    CheckpointWorkFolders next = CheckpointWorkFolders.create(folder, Spawner.SYSTEM);

    assertNotEquals(before.namesFile(), next.namesFile());
    assertNotEquals(before.links(1), next.links(1));
    assertTrue(Files.notExists(next.namesFile()));
    try (Stream<Path> files = Files.list(next.localFolder())) {
      assertEquals(0, files.count());
    }
  }
}
