package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class HadoopEnvironmentTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path root;

  @Before
  public void resolveRoot() throws IOException {
    root = temporary.getRoot().toPath().toRealPath();
  }

  private Path file(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }

  @Test
  public void shouldNameEachJarInTheOrderOfTheClassPath() throws Exception {
    Path tony = file("work/tony.jar");
    Path conf = Files.createDirectories(root.resolve("conf"));
    List<String> jars =
        List.of(file("lib/b.jar").toString(), file("lib/hadoop common.JAR").toString());
    file("lib/README.txt");

    Map<String, String> variables =
        HadoopEnvironment.of(
            Map.of(
                "CLASSPATH", tony + ":" + conf + ":" + root + "/lib/*:" + root + "/none/*::/none"));

    List<String> entries = Arrays.asList(variables.get("CLASSPATH").split(":"));
    assertEquals(List.of(tony.toString(), conf.toString()), entries.subList(0, 2));
    assertEquals(Set.copyOf(jars), Set.copyOf(entries.subList(2, entries.size())));
    assertEquals(4, entries.size());
  }

  @Test
  public void shouldLeaveAClassPathThatWouldBeTooLongForAVariable() throws Exception {
    Path lib = Files.createDirectories(root.resolve("lib"));
    Map<String, String> container = Map.of("CLASSPATH", lib + "/*");
    int entry = lib.toString().length() + 1 + 200;
    int atMost = (HadoopEnvironment.MAX_VARIABLE_BYTES + 1 - "CLASSPATH=".length()) / (entry + 1);
    for (int i = 0; i < atMost; i++) {
      Files.createFile(lib.resolve(String.format("%0196d.jar", i)));
    }
    String longest = HadoopEnvironment.of(container).get("CLASSPATH");
    assertEquals(atMost * (entry + 1) - 1, longest.length());

    Files.createFile(lib.resolve("a".repeat(196) + ".jar"));
    assertFalse(HadoopEnvironment.of(container).containsKey("CLASSPATH"));
  }

  @Test
  public void shouldAllowAsMuchAsLinuxDoes() throws Exception {
    ProcessBuilder builder = new ProcessBuilder("true");
    String name = HadoopEnvironment.CLASS_PATH;
    int most = HadoopEnvironment.MAX_VARIABLE_BYTES - name.length() - 1;
    builder.environment().put(name, "a".repeat(most));
    assertEquals(0, builder.start().waitFor());
    builder.environment().put(name, "a".repeat(most + 1));
    assertThrows(IOException.class, builder::start);
  }

  @Test
  public void shouldNameTheFirstHadoopOfTheNodeThatHasLibhdfs() throws Exception {
    Files.createDirectories(root.resolve("without/lib/native"));
    Path common = file("common/lib/native/libhdfs.so").getParent();
    file("hdfs/lib/native/libhdfs.so");

    Map<String, String> container = new HashMap<>();
    container.put("HADOOP_HOME", root.resolve("without").toString());
    assertFalse(HadoopEnvironment.of(container).containsKey("ARROW_LIBHDFS_DIR"));
    container.put("HADOOP_COMMON_HOME", root.resolve("common").toString());
    container.put("HADOOP_HDFS_HOME", root.resolve("hdfs").toString());
    assertEquals(common.toString(), HadoopEnvironment.of(container).get("ARROW_LIBHDFS_DIR"));
  }

  @Test
  public void shouldSetNothingThatTheNodeSets() throws Exception {
    Path home = file("hadoop/lib/native/libhdfs.so").getParent().getParent().getParent();
    Map<String, String> container = new HashMap<>(Map.of("HADOOP_HOME", home.toString()));
    assertEquals(
        Set.of("ARROW_LIBHDFS_DIR", "JAVA_HOME", "LIBHDFS_OPTS"),
        HadoopEnvironment.of(container).keySet());
    for (String variable : HadoopEnvironment.of(container).keySet()) {
      container.put(variable, "");
    }
    assertEquals(Map.of(), HadoopEnvironment.of(container));
  }

  @Test
  public void shouldNameAJavaWithALibjvm() {
    Path java = Path.of(HadoopEnvironment.of(Map.of()).get("JAVA_HOME"));
    assertTrue(java.toString(), Files.exists(java.resolve("lib/server/libjvm.so")));
  }
}
