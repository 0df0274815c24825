package io.tony.runtime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class RuntimesTest {
  private final Runtimes runtimes = Runtimes.load();

  @Test
  public void shouldFindAFrameworkWhateverItsCase() {
    assertEquals("pytorch", runtimes.find("PyTorch").orElseThrow().name());
    assertEquals("pytorch", runtimes.forMaster("PyTorch").name());
  }

  @Test
  public void shouldSayWhereTheMasterLooksForTheJarOfAFramework() {
    IllegalStateException missing =
        assertThrows(IllegalStateException.class, () -> runtimes.forMaster("paddle"));

    assertEquals(
        "framework paddle is not on the ApplicationMaster's class path, which has "
            + runtimes.names()
            + ": put its jar into the folder that hdfs_classpath names",
        missing.getMessage());
  }
}
