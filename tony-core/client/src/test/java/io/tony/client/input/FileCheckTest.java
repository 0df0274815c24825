package io.tony.client.input;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class FileCheckTest {
  private static final String SCRIPT = "#!/bin/sh\n";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path folder;
  private final Map<String, String> options = new LinkedHashMap<>();

  @Before
  public void begin() throws IOException {
    folder = temporary.getRoot().toPath().toRealPath();
    options.put("tony.worker.instances", "1");
    options.put("tony.application.executes", "main.py --epochs 3");
  }

  private FileCheck check() {
    return check(JobFolder.of(folder));
  }

  private FileCheck check(JobFolder jobFolder) {
    TonyConfig config = TonyConfig.builder().layer("job", options).build();
    Problems problems = new Problems();
    FileCheck check =
        new FileCheck(config, JobSpecReader.readLeniently(config, problems), jobFolder);
    assertEquals(List.of(), problems.errors());
    check.checkLocal();
    return check;
  }

  private static List<String> told(FileCheck check) {
    List<String> told = new ArrayList<>(check.refusals());
    told.addAll(check.unusableFiles());
    told.addAll(check.warnings());
    return told;
  }

  private void assertTold(String... expected) {
    assertEquals(List.of(expected), told(check()));
  }

  /** Entries: a name, and a content, or a target behind {@code ->}. Those in bin are executable. */
  private void tar(String name, boolean gzip, String... entries) throws IOException {
    try (OutputStream file = Files.newOutputStream(folder.resolve(name));
        OutputStream out = gzip ? new GZIPOutputStream(file) : file;
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8")) {
      for (int i = 0; i < entries.length; i += 2) {
        boolean link = entries[i + 1].startsWith("->");
        byte[] content = entries[i + 1].getBytes(StandardCharsets.ISO_8859_1);
        TarArchiveEntry entry =
            new TarArchiveEntry(
                entries[i], link ? TarConstants.LF_SYMLINK : TarConstants.LF_NORMAL, true);
        entry.setMode(entries[i].contains("bin/") ? 0755 : 0644);
        if (link) {
          entry.setLinkName(entries[i + 1].substring(2));
        } else {
          entry.setSize(content.length);
        }
        tar.putArchiveEntry(entry);
        tar.write(link ? new byte[0] : content);
        tar.closeArchiveEntry();
      }
    }
  }

  private void zip(String name, String... entries) throws IOException {
    try (ZipArchiveOutputStream zip =
        new ZipArchiveOutputStream(Files.newOutputStream(folder.resolve(name)))) {
      for (int i = 0; i < entries.length; i += 2) {
        boolean link = entries[i + 1].startsWith("->");
        ZipArchiveEntry entry = new ZipArchiveEntry(entries[i]);
        entry.setUnixMode(link ? 0120777 : entries[i].contains("bin/") ? 0100755 : 0100644);
        zip.putArchiveEntry(entry);
        zip.write(entries[i + 1].substring(link ? 2 : 0).getBytes(StandardCharsets.UTF_8));
        zip.closeArchiveEntry();
      }
    }
  }

  // ---- src_dir that is an archive ----

  @Test
  public void shouldTakeAnArchiveForASourceFolderWhateverItsName() throws IOException {
    options.put("tony.application.python-binary-path", "python3");
    zip("code.zip", "main.py", "print()", "pkg/part.py", "");
    tar("code.tar.gz", true, "./main.py", "print()");
    tar("code", false, "main.py", "print()");
    for (String archive : List.of("code.zip", "code.tar.gz", "code")) {
      options.put("tony.application.src-dir", archive);
      assertTold();
    }
    options.put("tony.application.executes", "pkg/train.py");
    options.put("tony.application.src-dir", "code.zip");
    assertTold(
        "executes names the script pkg/train.py, which is not in src_dir "
            + folder.resolve("code.zip")
            + " (it has main.py, pkg): put it there, or name it relative to that folder");
  }

  @Test
  public void shouldRefuseAnArchiveThatIsNoneOrLeadsOut() throws IOException {
    Files.writeString(folder.resolve("page.zip"), "<html>404</html>");
    options.put("tony.application.src-dir", "page.zip");
    assertTold(
        "src_dir is page.zip, which is neither a folder nor a whole .zip, .tar, .tar.gz or .tgz"
            + " archive: name one of these, or ship the file with tony.containers.resources");

    options.put("tony.application.src-dir", "nothing");
    assertTold("src_dir is nothing, which is neither a folder nor an archive in " + folder);

    zip("slip.zip", "main.py", "", "a/../../evil.py", "");
    options.put("tony.application.src-dir", "slip.zip");
    assertTold(
        "src_dir is slip.zip, which holds a/../../evil.py, a path outside of it: pack it again");

    tar("slip.tar", false, "main.py", "", "/etc/passwd", "");
    options.put("tony.application.src-dir", "slip.tar");
    assertTold("src_dir is slip.tar, which holds /etc/passwd, a path outside of it: pack it again");
  }

  @Test
  public void shouldLetAStepShipOnlyAnArchiveOfItsOwnFolder() throws IOException {
    zip("code.zip", "main.py", "");
    Path step = temporary.newFolder("step").toPath();
    options.put("tony.application.src-dir", "../code.zip");
    FileCheck check = check(JobFolder.ofStep(step, List.of(step), List.of()));
    assertTrue(
        check.refusals().toString(),
        check.refusals().get(0).startsWith("src_dir is ../code.zip, which leads out of the job's"));
  }

  // ---- two things of one name ----

  @Test
  public void shouldTellTwoThingsThatWantOneName() throws IOException {
    Path src = Files.createDirectories(folder.resolve("src/venv")).getParent();
    Files.createDirectory(src.resolve("tmp"));
    Files.writeString(src.resolve("data.csv"), "of src");
    Files.writeString(src.resolve("container_tokens"), "");
    Files.writeString(folder.resolve("data.csv"), "another");
    Files.writeString(folder.resolve("more"), "");
    tar("env.tar.gz", true, "bin/python", SCRIPT);
    options.put("tony.application.src-dir", "src");
    options.put("tony.application.python-venv", "env.tar.gz");
    options.put("tony.containers.resources", "data.csv,more::tony-core.jar,more::tmp");
    options.put("tony.worker.resources", "more::venv2,more::.tony");
    String where = " in the task's working directory";
    assertTold(
        "a file of src_dir src would be container_tokens"
            + where
            + ", which YARN keeps there:"
            + " rename it",
        "a file of src_dir src and env.tar.gz of the job would both be venv"
            + where
            + ": rename one of them; a resource by SOURCE::NAME",
        "a file of src_dir src and data.csv of the job would both be data.csv"
            + where
            + ": rename one of them; a resource by SOURCE::NAME",
        "more of the job would be tony-core.jar" + where + ", which TonY keeps there: rename it",
        "more of the job would be tmp" + where + ", which YARN keeps there: rename it",
        "more of role worker would be .tony" + where + ", which TonY keeps there: rename it");
  }

  @Test
  public void shouldTakeAFileOfTheSourcesThatIsShippedAgain() throws IOException {
    Files.createDirectory(folder.resolve("src"));
    Files.writeString(folder.resolve("src/data.csv"), "");
    options.put("tony.application.src-dir", "src");
    options.put("tony.containers.resources", "src/data.csv");
    assertTold();
  }

  @Test
  public void shouldTellJarsThatReplaceEachOther() throws IOException {
    for (String name : List.of("a/x.jar", "a/same.jar", "b/x.jar", "b/same.jar", "b/y.jar")) {
      Files.createDirectories(folder.resolve(name).getParent());
      Files.writeString(
          folder.resolve(name), name.endsWith("same.jar") ? "" : name + name.length());
    }
    Files.writeString(folder.resolve("b/x.jar"), "longer than the other");
    Files.writeString(folder.resolve("y.jar"), "");
    options.put("tony.application.hdfs-classpath", uri("a") + "," + uri("b"));
    options.put("tony.containers.resources", "y.jar");
    FileCheck check = check();
    check.checkRemote(new Configuration(false));
    assertEquals(
        List.of(
            "hdfs_classpath has two jars x.jar, in "
                + uri("a")
                + " and "
                + uri("b")
                + ", which differ: remove one of them",
            "hdfs_classpath "
                + uri("b")
                + " and y.jar of the job would both be y.jar in the task's"
                + " working directory: rename one of them; a resource by SOURCE::NAME"),
        check.refusals());
  }

  private String uri(String name) {
    return "file:" + folder.resolve(name);
  }

  // ---- programs of archives ----

  @Test
  public void shouldTellAProgramThatTheArchiveDoesNotHave() throws IOException {
    tar("env.tar.gz", true, "./bin/python", SCRIPT, "./lib/x.py", "", "./pyvenv.cfg", "");
    options.put("tony.application.python-venv", "env.tar.gz");
    options.put("tony.application.python-binary-path", "environment/bin/python");
    assertTold(
        "the command begins with venv/environment/bin/python, and env.tar.gz, which is unpacked into"
            + " venv, has no environment: it has bin, lib, pyvenv.cfg. Did you mean"
            + " venv/bin/python?");
    options.put("tony.application.python-binary-path", "bin/python4");
    assertTold(
        "the command begins with venv/bin/python4, and env.tar.gz, which is unpacked into venv, has"
            + " no bin/python4: bin has python. Name a program of the archive");
    options.put("tony.application.python-binary-path", "bin/python");
    assertTold();
    options.put("tony.application.python-binary-path", "lib/x.py");
    assertTold(); // a node makes every file of an archive executable
  }

  @Test
  public void shouldTellAnInterpreterThatIsALinkToNowhere() throws IOException {
    String nowhere = folder + "/builder/python3.8";
    tar(
        "env.tar.gz", true,
        "bin/python3.8", "->" + nowhere,
        "bin/python3", "->python3.8",
        "bin/python", "->./python3",
        "bin/up", "->../../../python");
    options.put("tony.application.python-venv", "env.tar.gz");
    options.put("tony.application.python-binary-path", "bin/python");
    assertTold(
        "venv/bin/python in env.tar.gz leads by the link bin/python3.8 to "
            + nowhere
            + ", which this machine does not have: every node needs it there, or the archive needs"
            + " the program itself (docs/python-environments.md)");

    Files.createDirectory(folder.resolve("builder"));
    Files.writeString(Path.of(nowhere), "");
    assertTold();

    // Of what an Azkaban executor has, a step learns nothing.
    assertEquals(
        List.of(
            "venv/bin/python in env.tar.gz leads by the link bin/python3.8 to "
                + nowhere
                + ": every node needs it there, or the archive needs the program itself"
                + " (docs/python-environments.md)"),
        told(check(JobFolder.ofStep(folder, List.of(folder), List.of()))));

    options.put("tony.application.python-binary-path", "bin/up");
    assertTold(
        "venv/bin/up in env.tar.gz leads by the link bin/up to ../../../python, which is not in the"
            + " archive: pack what the link leads to");
  }

  @Test
  public void shouldTellAFirstLineThatNamesNoProgram() throws IOException {
    tar("env.tgz", true, "bin/torchrun", "#!" + folder + "/env/bin/python -s\nprint()\n");
    options.put("tony.containers.resources", "env.tgz::env#archive");
    for (String command :
        List.of("env/bin/torchrun main.py", "A=1 exec ./env/bin/torchrun main.py | tee x")) {
      options.put("tony.application.executes", command);
      assertTold(
          "env/bin/torchrun in env.tgz is run by "
              + folder
              + "/env/bin/python (its first line),"
              + " which this machine does not have: every node needs it there, or run it by the"
              + " archive's own interpreter (docs/python-environments.md)");
    }
  }

  @Test
  public void shouldTellAProgramOfAnotherMachine() throws IOException {
    char machine = System.getProperty("os.arch").equals("aarch64") ? (char) 62 : (char) 183;
    String other = machine == 62 ? "amd64" : "aarch64";
    String elf = "\u007fELF\2\1\1" + "\0".repeat(9) + "\2\0" + machine + "\0" + "\0".repeat(44);
    tar("env.tar", false, "bin/arm", elf, "bin/mac", "\u00cf\u00fa\u00ed\u00fe" + "\0".repeat(28));
    options.put("tony.application.python-venv", "env.tar");
    for (String[] program : new String[][] {{"bin/arm", other}, {"bin/mac", "macOS"}}) {
      options.put("tony.application.python-binary-path", program[0]);
      assertTold(
          "venv/"
              + program[0]
              + " in env.tar is a program for "
              + program[1]
              + "; this machine is "
              + System.getProperty("os.arch")
              + ": make the archive on a machine like the nodes (docs/python-environments.md)");
    }
  }

  @Test
  public void shouldTellAFirstLineThatDoesNotLeadToTheArchivesPython() throws IOException {
    tar("env.tar.gz", true, "bin/torchrun", "#!/usr/bin/env -S python3 -s\n", "bin/python", SCRIPT);
    options.put("tony.application.python-venv", "env.tar.gz");
    options.put("tony.application.executes", "venv/bin/torchrun main.py");
    assertTold(
        "venv/bin/torchrun in env.tar.gz is run by the first python3 on the node's PATH (its first"
            + " line), not by the archive's: set python_binary_path, which then runs it"
            + " (docs/python-environments.md)");

    options.put("tony.application.python-binary-path", "bin/python");
    assertTold();

    options.remove("tony.application.python-binary-path");
    options.put("tony.application.executes", "PATH=venv/bin:$PATH venv/bin/torchrun main.py");
    assertTold();

    options.put("tony.application.executes", "venv/bin/torchrun main.py");
    options.put("tony.worker.env", "PATH=venv/bin:/usr/bin:/bin");
    assertTold();
  }

  @Test
  public void shouldCheckTheEnvironmentsPythonWhateverTheCommandIs() throws IOException {
    String nowhere = folder + "/builder/python3.8";
    tar("env.tar.gz", true, "bin/torchrun", SCRIPT, "bin/python", "->" + nowhere);
    options.put("tony.application.python-venv", "env.tar.gz");
    for (String command : List.of("venv/bin/torchrun main.py", ". venv/bin/activate; main")) {
      options.put("tony.application.executes", command);
      assertTold(
          "venv/bin/python in env.tar.gz leads by the link bin/python to "
              + nowhere
              + ", which this machine does not have: every node needs it there, or the archive"
              + " needs the program itself (docs/python-environments.md)");
    }

    tar("env.tar.gz", true, "bin/python3", "#!/bin/sh\n");
    options.put("tony.application.executes", "venv/bin/python3 main.py");
    assertTold(); // no command needs bin/python
  }

  @Test
  public void shouldTellALinkOfAZipArchiveWhichYarnMakesATextFile() throws IOException {
    zip("env.zip", "bin/python3.11", SCRIPT, "bin/python", "->python3.11");
    options.put("tony.application.python-venv", "env.zip");
    options.put("tony.application.python-binary-path", "bin/python");
    assertTold(
        "venv/bin/python in env.zip leads by the link bin/python, which YARN unpacks as a text file,"
            + " as all links of a .zip: make a .tar.gz (docs/python-environments.md)");
    try (InputStream zip = Files.newInputStream(folder.resolve("env.zip"))) {
      FileUtil.unZip(zip, folder.resolve("unpacked").toFile()); // as YARN's nodes do
    }
    assertEquals("python3.11", Files.readString(folder.resolve("unpacked/bin/python")));

    zip("env.zip", "bin/python", SCRIPT);
    assertTold();
  }

  @Test
  public void shouldOnlyWarnOfAPythonThatNoCommandNeeds() throws IOException {
    zip("env.zip", "bin/python3.11", SCRIPT, "bin/python", "->python3.11");
    options.put("tony.application.python-venv", "env.zip");
    options.put("tony.application.python-binary-path", "bin/python3.11");

    assertTold(
        "venv/bin/python in env.zip leads by the link bin/python, which YARN unpacks as a text file,"
            + " as all links of a .zip: make a .tar.gz (docs/python-environments.md)");
    assertEquals(List.of(), check().unusableFiles());
  }

  @Test
  public void shouldFindAProgramBehindAFolderThatIsALink() throws IOException {
    tar(
        "env.tar",
        false,
        "usr/bin/python3.11",
        SCRIPT,
        "bin",
        "->usr/bin",
        "usr/bin/python",
        "->python3.11");
    options.put("tony.application.python-venv", "env.tar");
    options.put("tony.application.python-binary-path", "bin/python");
    assertTold();
  }

  @Test
  public void shouldEndWithLinksThatLeadInACircle() throws IOException {
    tar("env.tar", false, "bin/a", "->b", "bin/b", "->a");
    options.put("tony.application.python-venv", "env.tar");
    options.put("tony.application.python-binary-path", "bin/a");
    assertEquals(1, check().unusableFiles().size());
  }
}
