package io.tony.container;

import static org.apache.hadoop.yarn.api.records.LocalResourceVisibility.PRIVATE;
import static org.apache.hadoop.yarn.api.records.LocalResourceVisibility.PUBLIC;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.model.FileSpec;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What has one name in a container's working directory is one file. */
public class ContainerFilesTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private ContainerFiles files;

  @Before
  public void begin() {
    files = new ContainerFiles(new Configuration(false));
  }

  private Path file(String folder, String name) throws IOException {
    File parent = new File(temporary.getRoot(), folder);
    Files.createDirectories(parent.toPath());
    File file = new File(parent, name);
    Files.writeString(file.toPath(), folder);
    return new Path(file.toURI());
  }

  @Test
  public void shouldRefuseAnotherFileOfANameThatIsTaken() throws Exception {
    files.addFile(file("own", "tony-core.jar"), Staging.JAR);
    Path users = file("users", "tony-core.jar");

    IOException refused =
        assertThrows(
            IOException.class,
            () -> files.addFile(new FileSpec(users.toString(), Staging.JAR, false)));

    assertTrue(
        refused.getMessage(),
        refused.getMessage().contains("would both be tony-core.jar in a container"));
  }

  @Test
  public void shouldRefuseTwoJarsOfOneName() throws Exception {
    file("one", "library.jar");
    file("other", "library.jar");

    assertThrows(
        IOException.class,
        () ->
            files.addJarsOf(List.of(temporary.getRoot() + "/one", temporary.getRoot() + "/other")));
  }

  @Test
  public void shouldShareAnArchiveOfJavaAmongAllUsersOnlyIfEverybodyMayReadIt() throws Exception {
    Path archive = file("apps", "jdk17.tar.gz");
    assertEquals("a folder above it is closed", PRIVATE, visibilityOfJava(archive));

    Files.setPosixFilePermissions(
        temporary.getRoot().toPath(), PosixFilePermissions.fromString("rwx--x--x"));
    Files.setPosixFilePermissions(
        java.nio.file.Path.of(archive.toUri()), PosixFilePermissions.fromString("rw-r--r--"));
    assertEquals(PUBLIC, visibilityOfJava(archive));

    Files.setPosixFilePermissions(
        java.nio.file.Path.of(archive.toUri()), PosixFilePermissions.fromString("rw-r-----"));
    assertEquals(PRIVATE, visibilityOfJava(archive));
  }

  private static LocalResourceVisibility visibilityOfJava(Path archive) throws IOException {
    TonyConfig config =
        TonyConfig.builder()
            .layer("the test", Map.of("tony.java.archive", archive.toString()))
            .build();
    LocalResource java =
        new ContainerFiles(new Configuration(false)).addJava(config).asMap().get(Staging.JAVA);
    assertEquals(LocalResourceType.ARCHIVE, java.getType());
    return java.getVisibility();
  }

  /** A job may name a jar of its class path once more. */
  @Test
  public void shouldTakeOneFileTwice() throws Exception {
    Path jar = file("one", "library.jar");
    files.addJarsOf(List.of(temporary.getRoot() + "/one"));

    files.addFile(jar, "library.jar");

    assertEquals(1, files.asMap().size());
  }
}
