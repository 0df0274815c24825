package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import io.tony.config.TonyConfig;
import io.tony.model.Endpoint;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class StagingTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private FileSystem fs;
  private Staging staging;

  @Before
  public void create() throws IOException {
    // Hadoop's cache may hold one that another test made with a configuration without defaults.
    fs = FileSystem.newInstanceLocal(new Configuration());
    staging = new Staging(fs, temporary.getRoot().toString(), "application_1_0001");
    staging.create();
  }

  @After
  public void close() throws IOException {
    fs.close();
  }

  @Test
  public void shouldTellWhereTheMasterIs() throws IOException {
    assertThrows(FileNotFoundException.class, () -> Staging.readAddress(fs, staging.master()));
    Endpoint first = new Endpoint("node-1.example.com", 40_000);

    staging.tryPublishAddress(1, first);

    assertEquals(first, Staging.readAddress(fs, staging.master()));
  }

  @Test
  public void shouldReplaceTheAddressOfAnEarlierMaster() throws IOException {
    staging.tryPublishAddress(1, new Endpoint("node-1", 40_000));
    Endpoint second = new Endpoint("node-2", 50_000);

    staging.tryPublishAddress(2, second);

    assertEquals(second, Staging.readAddress(fs, staging.master()));
    assertEquals("rw-------", fs.getFileStatus(staging.master()).getPermission().toString());
    assertEquals(
        "nothing else is left",
        "[master, master.of-2]",
        Arrays.toString(names(fs.listStatus(staging.folder()))));
  }

  /** Options may hold secrets, and whoever has the credentials may end the job. */
  @Test
  public void shouldBeReadableByItsOwnerOnly() throws IOException {
    staging.writeConfig(TonyConfig.builder().build());
    staging.writeCredentials(new Credentials());
    staging.recordClientAlive();

    assertEquals("rwx------", fs.getFileStatus(staging.folder()).getPermission().toString());
    FileStatus[] files = fs.listStatus(staging.folder());
    assertEquals(3, files.length);
    for (FileStatus file : files) {
      assertEquals(file.getPath().getName(), "rw-------", file.getPermission().toString());
    }
  }

  @Test
  public void shouldTellWhereTheMasterIsAfterATryThatDidNotComeToItsEnd() throws IOException {
    staging.write(staging.master().suffix(".new-2")).close();
    Endpoint next = new Endpoint("node-2", 50_000);

    staging.tryPublishAddress(2, next);

    assertEquals(next, Staging.readAddress(fs, staging.master()));
  }

  /** The job may have ended, and tidied up, since. */
  @Test
  public void shouldNotBringTheFolderBack() throws IOException {
    staging.delete();

    assertThrows(IOException.class, () -> staging.tryPublishAddress(1, new Endpoint("node-1", 1)));
    assertEquals(false, fs.exists(staging.folder()));
  }

  private static String[] names(FileStatus[] files) {
    return Arrays.stream(files).map(file -> file.getPath().getName()).toArray(String[]::new);
  }

  /** One that stood still while another one began. */
  @Test
  public void shouldLeaveTheAddressOfALaterMasterAsItIs() throws IOException {
    Endpoint later = new Endpoint("node-2", 40_002);
    staging.tryPublishAddress(2, later);

    assertFalse(staging.tryPublishAddress(1, new Endpoint("node-1", 40_001)));

    assertEquals(later, Staging.readAddress(fs, staging.master()));
  }

  /** Another earlier one, which began before this program had signs. */
  @Test
  public void shouldLeaveNothingOfAnEarlierMasterThatItCouldStillShow() throws IOException {
    staging.write(staging.master().suffix(".new")).close();
    staging.write(staging.master().suffix(".new-1")).close();
    staging.write(staging.master().suffix(".new-2")).close();

    staging.tryPublishAddress(3, new Endpoint("node-3", 40_003));

    assertEquals(
        List.of("master", "master.of-3"),
        Arrays.stream(fs.listStatus(staging.folder()))
            .map(file -> file.getPath().getName())
            .sorted()
            .toList());
  }
}
