package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the image of the job type does when Azkaban runs it as an init container of a pod. */
public final class JobTypeImageTest {

  private static final Pattern COMMAND = Pattern.compile("CMD \\[\"sh\", \"-c\", \"(.*)\"]");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void shouldCopyTheJobTypeWithItsTimesToWhereAzkabanMountsIt() throws Exception {
    String dockerfile = Files.readString(BuildArtifacts.file("containers/Dockerfile"));
    assertTrue(dockerfile, dockerfile.contains("\nCOPY plugins/jobtypes/tony /tony\n"));
    Matcher command = COMMAND.matcher(dockerfile);
    assertTrue(dockerfile, command.find());
    Path image = folder.newFolder("tony").toPath();
    Path jar = Files.createDirectory(image.resolve("lib")).resolve("tony-core.jar");
    FileTime time = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
    Files.setLastModifiedTime(Files.writeString(jar, "classes"), time);
    Files.writeString(image.resolve("private.properties"), "jobtype.class=x");
    Path mount = folder.newFolder("a mount").toPath();

    String script = command.group(1).replace("\\\"", "\"").replace("/tony ", image + " ");
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).inheritIO();
    builder.environment().put("JOBTYPE_MOUNT_PATH", mount.toString());
    assertEquals(0, builder.start().waitFor());

    assertEquals("jobtype.class=x", Files.readString(mount.resolve("private.properties")));
    assertEquals(time, Files.getLastModifiedTime(mount.resolve("lib/tony-core.jar")));
  }
}
