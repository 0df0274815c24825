package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.rules.ExternalResource;

/**
 * Users of the operating system, made for the tests of one class, which are not run where nobody
 * can make them. They are gone afterwards, which a process of theirs would prevent.
 */
final class SystemUsers extends ExternalResource {
  private static final Pattern OF_A_RUN = Pattern.compile("(tony[a-z]+-(\\d{1,18})):");

  private final List<String> names;

  /** They are called so, and by this JVM's number: others may run the same tests at this moment. */
  SystemUsers(String... names) {
    this.names =
        List.of(names).stream().map(name -> name + "-" + ProcessHandle.current().pid()).toList();
  }

  String name(int index) {
    return names.get(index);
  }

  @Override
  protected void before() throws IOException, InterruptedException {
    NotRun.unless(
        System.getProperty("user.name").equals("root"),
        "only root can make users of the operating system");
    for (String program : List.of("useradd", "userdel", "setpriv", "flock")) {
      NotRun.unless(isThere(program), "there is no " + program + " on PATH");
    }
    removeThoseOfDeadRuns();
    for (String name : names) {
      call("flock", "/etc", "useradd", "-M", "-d", "/nonexistent", "-s", "/bin/false", name);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> removeIfThere(name), "remove-user"));
    }
    Path jar = BuildArtifacts.coreJar();
    NotRun.unless(
        canRead(names.get(0), jar),
        "other users cannot read " + jar + ", as a folder above it is closed to them");
  }

  @Override
  protected void after() {
    for (String name : names) {
      try {
        call("flock", "/etc", "userdel", name);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** A JVM that is killed leaves its users. */
  private static void removeThoseOfDeadRuns() throws IOException {
    for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
      Matcher user = OF_A_RUN.matcher(line);
      if (user.lookingAt() && ProcessHandle.of(Long.parseLong(user.group(2))).isEmpty()) {
        removeIfThere(user.group(1));
      }
    }
  }

  /** What a test that is interrupted leaves. */
  private static void removeIfThere(String name) {
    try {
      new ProcessBuilder("flock", "/etc", "userdel", "-f", name)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      System.err.println("user " + name + " stays: " + e);
    }
  }

  private static boolean isThere(String program) throws IOException, InterruptedException {
    return new ProcessBuilder("bash", "-c", "command -v " + program)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  private static void call(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(output, 0, process.waitFor());
  }

  private static boolean canRead(String user, Path file) throws IOException, InterruptedException {
    return readableBy(user, List.of(file)).contains(file);
  }

  /** Those of the files that a user can really read, found out by reading them as that user. */
  static List<Path> readableBy(String user, List<Path> files)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"));
    command.addAll(
        List.of(
            "bash",
            "-c",
            "while read -r file; do head -c 1 -- \"$file\" >/dev/null 2>&1 && echo \"$file\";"
                + " done; exit 0"));
    Path list = Files.createTempFile("files", ".txt");
    try {
      Files.write(list, files.stream().map(Path::toString).toList());
      Process process =
          new ProcessBuilder(command)
              .directory(Path.of("/").toFile())
              .redirectInput(list.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String read = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor());
      return read.lines().map(Path::of).toList();
    } finally {
      Files.delete(list);
    }
  }
}
