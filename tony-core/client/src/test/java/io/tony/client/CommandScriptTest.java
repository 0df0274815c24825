package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code bin/tony}, with a Java that only shows its class path. */
public class CommandScriptTest {
  private static final Path SCRIPT = Repository.path("bin/tony");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private List<String> classPath(String ofHadoop) throws IOException, InterruptedException {
    Path java = temporary.newFolder("java", "bin").toPath().resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf %s \"$CLASSPATH\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder tony = new ProcessBuilder("bash", SCRIPT.toRealPath().toString(), "version");
    tony.directory(temporary.newFolder("of-a-stranger")).redirectErrorStream(true);
    tony.environment().put("JAVA_HOME", java.getParent().getParent().toString());
    tony.environment().put("TONY_JAR", temporary.newFile("tony-core.jar").toString());
    tony.environment().put("TONY_HADOOP_CLASSPATH", ofHadoop);
    tony.environment().put("TONY_CACHE", "none");
    tony.environment().keySet().removeAll(List.of("HADOOP_CONF_DIR", "HADOOP_HOME"));
    Process process = tony.start();
    String shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(shown, 0, process.waitFor());
    return List.of(shown.split(":", -1));
  }

  @Test
  public void shouldLoadNoClassesOfTheFolderThatItIsCalledIn() throws Exception {
    List<String> entries = classPath(":/opt/hadoop/a.jar::/opt/hadoop/b.jar: :");

    assertTrue(entries.toString(), entries.stream().noneMatch(String::isBlank));
    assertTrue(
        entries.toString(), entries.containsAll(List.of("/opt/hadoop/a.jar", "/opt/hadoop/b.jar")));
  }
}
