package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** An archive with a small Java, for nodes that have none. */
final class JavaArchive {
  /** Where the document puts the archive on HDFS. */
  static final String PATH = "/apps/tony/jdk17.tar.gz";

  /** The commands of the document that make the archive. */
  private static final Pattern COMMANDS =
      Pattern.compile(
          "^jlink .*?\ntar czf jdk17\\.tar\\.gz jdk17\n", Pattern.MULTILINE | Pattern.DOTALL);

  private JavaArchive() {}

  /** Makes the archive, which is jdk17.tar.gz in the folder, and jdk17, whose copy is in it. */
  static Path make(Path folder) throws Exception {
    Matcher commands = COMMANDS.matcher(Files.readString(BuildArtifacts.file("docs/install.md")));
    assertTrue("no jlink in install.md", commands.find());
    run(folder, commands.group());
    return folder.resolve("jdk17.tar.gz");
  }

  /** Runs commands in a folder, with the programs of this JVM's Java on the path. */
  static void run(Path folder, String commands) throws Exception {
    ProcessBuilder shell = new ProcessBuilder("bash", "-ec", commands).directory(folder.toFile());
    shell
        .environment()
        .merge("PATH", System.getProperty("java.home") + "/bin", (path, bin) -> bin + ":" + path);
    assertEquals(0, shell.inheritIO().start().waitFor());
  }

  /** Puts an archive on HDFS, and returns the option that names it. */
  static String put(OwnCluster cluster, Path file, String target, String permission)
      throws IOException {
    try (FileSystem fs = FileSystem.newInstance(cluster.configuration())) {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(target);
      fs.copyFromLocalFile(new org.apache.hadoop.fs.Path(file.toUri()), path);
      fs.setPermission(path, new FsPermission(permission));
    }
    return "tony.java.archive=hdfs://" + target;
  }
}
