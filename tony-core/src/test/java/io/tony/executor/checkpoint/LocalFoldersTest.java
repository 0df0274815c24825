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

public class LocalFoldersTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** A copy that was given up deletes its links, and must not meet those of the next program. */
  @Test
  public void shouldHaveNothingInCommonWithTheStartBefore() throws Exception {
    Path folder = temporary.getRoot().toPath();
    LocalFolders before = LocalFolders.begin(folder, Spawner.SYSTEM);
    Files.writeString(before.named(), "a\n");
    Files.writeString(before.written().resolve("a"), "a");

    LocalFolders next = LocalFolders.begin(folder, Spawner.SYSTEM);

    assertNotEquals(before.named(), next.named());
    assertNotEquals(before.links(1), next.links(1));
    assertTrue(Files.notExists(next.named()));
    try (Stream<Path> files = Files.list(next.written())) {
      assertEquals(0, files.count());
    }
  }
}
