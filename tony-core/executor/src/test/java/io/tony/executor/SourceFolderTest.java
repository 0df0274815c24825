package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SourceFolderTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void shouldNameTheKindOfAFailureThatHasNoMessage() throws Exception {
    temporary.newFile(ExecutorSettings.SOURCE_ARCHIVE);
    Spawner failing =
        new Spawner(
            new Spawner.Kernel() {
              @Override
              public void startThread(Runnable start) {
                start.run();
              }

              @Override
              public Process startProcess(ProcessBuilder builder) throws IOException {
                throw new IOException();
              }
            });
    SourceFolder source = new SourceFolder(temporary.getRoot().toPath(), failing);

    assertEquals("java.io.IOException", source.unpackNow());
    assertFalse(source.isUnpacked());
  }
}
