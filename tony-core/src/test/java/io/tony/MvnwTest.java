package io.tony;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code mvnw} runs a Maven that is new enough, and none that it cannot trust. */
public class MvnwTest {
  private static final Path MVNW = Repository.path("mvnw");

  private static final String MAVEN = "#!/bin/sh\necho maven: \"$@\"\n";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path programs;
  private Path home;

  private record Ended(int code, String text) {}

  @Before
  public void begin() throws IOException {
    programs = temporary.newFolder("programs").toPath();
    home = temporary.newFolder("home of a user").toPath();
  }

  private static void program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void onPath(String version) throws IOException {
    program(
        programs.resolve("mvn"),
        "#!/bin/sh\ncase $* in *--version) echo 'Apache Maven "
            + version
            + "'; exit;; esac\necho found: \"$@\"\n");
  }

  private Ended mvnw(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", MVNW.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().merge("PATH", programs.toString(), (old, own) -> own + ":" + old);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("MVNW_REPOURL", "https://mirror.example/maven/");
    Process process = builder.start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), text);
  }

  @Test
  public void shouldRunTheMavenOnPathIfItIsNewEnough() throws Exception {
    for (String version : List.of("3.8.1", "3.10.0", "4.0.0-rc-5")) {
      onPath(version);
      assertEquals(version, new Ended(0, "found: -q a b\n"), mvnw("-q", "a b"));
    }
    assertFalse(Files.exists(home.resolve(".m2")));
  }

  @Test
  public void shouldRunTheMavenThatItHasInstalled() throws Exception {
    onPath("3.6.3");
    program(home.resolve(".m2/wrapper/apache-maven-3.9.9/bin/mvn"), MAVEN);
    assertEquals(new Ended(0, "maven: -q a b\n"), mvnw("-q", "a b"));
  }

  @Test
  public void shouldNotRunADownloadWithAnotherChecksum() throws Exception {
    onPath("3.6.3");
    program(
        programs.resolve("curl"),
        "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\necho a page >\"$2\"\n");
    Ended ended = mvnw("verify");
    assertEquals(ended.text(), 1, ended.code());
    assertTrue(
        ended.text(),
        ended
            .text()
            .contains(
                "error: the download from https://mirror.example/maven/org/apache/maven/"
                    + "apache-maven/3.9.9/apache-maven-3.9.9-bin.tar.gz is not Maven 3.9.9: its"
                    + " SHA-512 is "));
    shouldHaveLeftNothing();
  }

  @Test
  public void shouldSayWhatToDoWhenNothingCanBeDownloaded() throws Exception {
    onPath("3.6.3");
    program(programs.resolve("curl"), "#!/bin/sh\necho 'curl: (6) no such host' >&2\nexit 6\n");
    Ended ended = mvnw("verify");
    assertEquals(ended.text(), 1, ended.code());
    assertTrue(ended.text(), ended.text().endsWith("that has it, or install Maven 3.8 or newer\n"));
    shouldHaveLeftNothing();
  }

  private void shouldHaveLeftNothing() throws IOException {
    try (Stream<Path> left = Files.list(home.resolve(".m2/wrapper"))) {
      assertEquals(List.of(), left.toList());
    }
  }
}
