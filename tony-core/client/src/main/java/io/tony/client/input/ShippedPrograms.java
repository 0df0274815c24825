package io.tony.client.input;

import io.tony.client.input.ArchiveListing.ResolvedPath;
import io.tony.client.input.ArchiveReader.Format;
import io.tony.config.Secrets;
import io.tony.config.job.CommandLine;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.process.ProgramHead;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks the programs with which the commands of a job's roles begin, as far as these programs are
 * in archives that the job ships: that they are in the archive, and that nodes can run them. Checks
 * the interpreter of {@code python_venv}, too, if the archive has one at its usual place. Reads an
 * archive only until all these programs are found.
 */
final class ShippedPrograms {
  /**
   * Maximum unpacked size that is read of a tar archive; reading that much takes about two seconds.
   */
  private static final long MAX_READ_BYTES = 512L << 20;

  /**
   * Matches a command that begins with the path of a program, possibly after assignments of
   * variables. Group 1 is the path.
   */
  private static final Pattern PROGRAM =
      Pattern.compile(
          "\\s*(?:[A-Za-z_]\\w*=\\S*\\s+|exec\\s+)*(?:\\./)?([\\w./+@:,-]+)(?s:\\s.*)?");

  /** Matches a command that sets {@code PATH} itself. */
  private static final Pattern SETS_PATH = Pattern.compile("(?s).*\\bPATH=.*");

  /** Paths of programs that belong to the operating system, so that every node has them. */
  private static final Pattern SYSTEM_PATH = Pattern.compile("/(usr/)?(bin|lib|lib64)/.*");

  /** Usual place of the interpreter in the archive {@code python_venv}. */
  private static final String VENV_PYTHON = "bin/python";

  private final JobFolder folder;
  private final List<String> errors = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** Programs, as {@code archive/path}, of the commands that run with a {@code PATH} of the job. */
  private final Set<String> withJobPath = new HashSet<>();

  ShippedPrograms(JobFolder folder) {
    this.folder = folder;
  }

  /** Returns the problems with programs that no node can start. */
  List<String> errors() {
    return List.copyOf(errors);
  }

  /**
   * Returns warnings about programs that start only on nodes with a certain file or processor type.
   */
  List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Checks the first program of each role's command, and the interpreter of the environment. */
  void check(JobSpec job) {
    Map<FileSpec, Set<String>> programs = new LinkedHashMap<>();
    job.files().stream()
        .filter(file -> file.name().equals(CommandLine.VENV) && isLocalArchive(file))
        .forEach(file -> programs.put(file, new LinkedHashSet<>()));
    for (RoleSpec role : job.roles()) {
      Matcher command = PROGRAM.matcher(role.command());
      if (command.matches()) {
        String program = command.group(1);
        if (job.env().containsKey("PATH")
            || role.env().containsKey("PATH")
            || SETS_PATH.matcher(role.command()).matches()) {
          withJobPath.add(program);
        }
        Stream.concat(job.files().stream(), role.files().stream())
            .filter(file -> isLocalArchive(file) && program.startsWith(file.name() + "/"))
            .forEach(
                file ->
                    programs
                        .computeIfAbsent(file, f -> new LinkedHashSet<>())
                        .add(program.substring(file.name().length() + 1)));
      }
    }
    programs.forEach(this::check);
  }

  private static boolean isLocalArchive(FileSpec file) {
    return file.archive() && !file.isRemote();
  }

  private void check(FileSpec file, Set<String> programs) {
    Path path = folder.resolve(file.source());
    try {
      if (!Files.isRegularFile(path) || folder.refusal(path).isPresent()) {
        return; // FileCheck reports a file that is missing or may not be shipped
      }
      LocalFile local = folder.file(path);
      Optional<Format> format = ArchiveReader.format(local);
      if (format.isPresent()) {
        boolean zip = format.get() == Format.ZIP;
        boolean venv = file.name().equals(CommandLine.VENV);
        ArchiveListing listing =
            ArchiveListing.read(
                local,
                format.get(),
                zip ? Long.MAX_VALUE : MAX_READ_BYTES,
                read ->
                    programs.stream().allMatch(program -> read.find(program).isFinal())
                        && (!venv || read.find(VENV_PYTHON).isFinal()));
        programs.forEach(program -> check(file, program, listing, zip, errors));
        if (venv && !programs.contains(VENV_PYTHON) && listing.find(VENV_PYTHON).isFinal()) {
          check(file, VENV_PYTHON, listing, zip, warnings);
        }
      }
    } catch (IOException e) {
      // Report nothing here, because FileCheck reports an archive that cannot be read.
    }
  }

  /**
   * Checks one program.
   *
   * @param problems list to which the problems are added that no node can make up for: warnings
   *     about a program that no command names
   */
  private void check(
      FileSpec file, String program, ArchiveListing archive, boolean zip, List<String> problems) {
    ResolvedPath resolved = archive.find(program);
    String named = file.name() + "/" + program + " in " + Secrets.maskText(file.source());
    if (zip && !resolved.firstLink().isEmpty()) {
      problems.add(
          named
              + " leads by the link "
              + resolved.firstLink()
              + ", which YARN unpacks as a text file, as all links of a .zip: make a .tar.gz"
              + REMEDY);
    } else if (!resolved.missing().isEmpty()) {
      if (archive.isComplete()) {
        problems.add(missingMessage(file, program, resolved.missing(), archive));
      }
    } else if (!resolved.link().isEmpty()) {
      checkLink(named, resolved, problems);
    } else if (resolved.entry() == null) {
      problems.add("the command begins with " + named + ", which is a folder: name a program");
    } else if (resolved.head() != null) {
      checkHead(named, resolved.head(), withJobPath.contains(file.name() + "/" + program));
    }
  }

  private static String missingMessage(
      FileSpec file, String program, String missing, ArchiveListing archive) {
    int slash = missing.lastIndexOf('/');
    String parent = slash < 0 ? "" : missing.substring(0, slash);
    String similar = archive.similar(program);
    return "the command begins with "
        + file.name()
        + "/"
        + program
        + ", and "
        + Secrets.maskText(file.source())
        + ", which is unpacked into "
        + file.name()
        + ", has no "
        + missing
        + ": "
        + (parent.isEmpty() ? "it has " : parent + " has ")
        + archive.contents(parent)
        + (similar.isEmpty()
            ? ". Name a program of the archive"
            : ". Did you mean " + file.name() + "/" + similar + "?");
  }

  private void checkLink(String named, ResolvedPath resolved, List<String> problems) {
    String what = named + " leads by the link " + resolved.link() + " to " + resolved.target();
    if (!resolved.target().startsWith("/")) {
      problems.add(what + ", which is not in the archive: pack what the link leads to");
    } else if (isDoubtful(resolved.target())) {
      warnings.add(what + whereNeeded() + ", or the archive needs the program itself" + REMEDY);
    }
  }

  private void checkHead(String named, ProgramHead head, boolean jobPath) {
    head.interpreterOnPath()
        .filter(name -> name.startsWith("python") && !jobPath)
        .ifPresent(
            name ->
                warnings.add(
                    named
                        + " is run by the first "
                        + name
                        + " on the node's PATH (its first line), not by the archive's: set"
                        + " python_binary_path, which then runs it"
                        + REMEDY));
    head.interpreter()
        .filter(name -> name.startsWith("/") && isDoubtful(name))
        .ifPresent(
            name ->
                warnings.add(
                    named
                        + " is run by "
                        + name
                        + " (its first line)"
                        + whereNeeded()
                        + ", or run it by the archive's own interpreter"
                        + REMEDY));
    head.incompatibleMachine()
        .ifPresent(
            machine ->
                warnings.add(
                    named
                        + " is a program for "
                        + machine
                        + "; this machine is "
                        + System.getProperty("os.arch")
                        + ": make the archive on a machine like the nodes"
                        + REMEDY));
  }

  private static final String REMEDY = " (docs/python-environments.md)";

  private String whereNeeded() {
    return folder.isConfined()
        ? ": every node needs it there"
        : ", which this machine does not have: every node needs it there";
  }

  /**
   * Returns true if nodes may lack the file: if this machine does. For a step of Azkaban, only
   * paths of the operating system count as present, because looking up the file would reveal to the
   * step's user what Azkaban's machine has.
   */
  private boolean isDoubtful(String path) {
    return folder.isConfined()
        ? !SYSTEM_PATH.matcher(path).matches()
        : !Files.exists(Path.of(path));
  }
}
