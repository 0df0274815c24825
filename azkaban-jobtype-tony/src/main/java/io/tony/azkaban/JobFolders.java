package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The folder to which a job's relative paths refer, and the folders and file systems that the job
 * may use. The allowed folders are the execution's folder, the folder of the project's files to
 * which its links lead, and the folders that the administrator lists. The allowed file systems are
 * the cluster's own ones and those that the administrator lists. TonY's client, to which both lists
 * are passed, enforces them.
 */
final class JobFolders {

  /**
   * Azkaban's property with the path of the job's attachment, a file beside the {@code .job} file
   * in the execution's folder. Azkaban always sets this property itself, whereas a job can override
   * {@code working.dir}. The path may contain names of folders in the project.
   */
  private static final String ATTACHMENT = "azkaban.job.attachment.file";

  private static final String ATTACHMENT_SUFFIX = ".attach";

  private static final String EXECUTION_ID = "azkaban.flow.execid";

  /**
   * Matches the end of the name of a project version's folder: Azkaban's executor unpacks each
   * version into a folder {@code <project>.<version>}.
   */
  private static final Pattern PROJECT_VERSION = Pattern.compile("[0-9]+\\.[0-9]+");

  /** Matches the address of a file system that is not local to this machine. */
  private static final Pattern FILE_SYSTEM =
      Pattern.compile("(?!(?i:file|har):)[A-Za-z][A-Za-z0-9+.-]*://(\\*|[A-Za-z0-9._@:-]+)");

  private final File start;
  private final List<String> allowed;
  private final List<String> fileSystems;
  private final boolean inPod;

  private JobFolders(File start, List<String> allowed, List<String> fileSystems, boolean inPod) {
    this.start = start;
    this.allowed = allowed;
    this.fileSystems = fileSystems;
    this.inPod = inPod;
  }

  /**
   * Determines the folders and file systems of a job.
   *
   * @param id the job's id, as passed by Azkaban
   * @param site the administrator's settings
   * @param azkaban the environment of Azkaban's own JVM
   * @throws JobFailedException if a folder is missing, or if the job's working folder is not
   *     allowed
   */
  static JobFolders of(
      String id, Props job, SiteProperties site, File workingDirectory, Map<String, String> azkaban)
      throws JobFailedException, IOException {
    List<Path> siteFolders = new ArrayList<>();
    for (String folder : site.list(SiteProperties.ALLOWED_PATHS)) {
      Optional<Path> siteFolder = siteFolder(folder);
      if (siteFolder.isPresent()) {
        siteFolders.add(siteFolder.get().toRealPath());
      }
    }
    Path attachment = attachment(id, job);
    Path execution = executionFolder(attachment, job, siteFolders, azkaban);
    List<Path> allowed = new ArrayList<>();
    allowed.add(execution);
    projectFolder(attachment.resolveSibling(id + ".job"), execution).ifPresent(allowed::add);
    allowed.addAll(siteFolders);
    Path start = workingDirectory.toPath().toRealPath();
    if (allowed.stream().noneMatch(start::startsWith)) {
      throw new JobFailedException(
          "working.dir is "
              + workingDirectory
              + ", which is not in the execution's folder "
              + execution
              + ": remove it, or have the administrator name it in "
              + SiteProperties.ALLOWED_PATHS
              + ".");
    }
    List<String> names = new ArrayList<>();
    for (Path folder : allowed) {
      names.add(folder.toString());
    }
    boolean inPod = Pod.isPodOf(executionId(attachment), azkaban);
    return new JobFolders(workingDirectory, names, fileSystems(site), inPod);
  }

  private static List<String> fileSystems(SiteProperties site) throws JobFailedException {
    List<String> fileSystems = site.list(SiteProperties.ALLOWED_FILE_SYSTEMS);
    for (String fileSystem : fileSystems) {
      if (!FILE_SYSTEM.matcher(fileSystem).matches()) {
        throw new JobFailedException(
            SiteProperties.ALLOWED_FILE_SYSTEMS
                + " in the job type's "
                + SiteProperties.FILE
                + " names "
                + fileSystem
                + ", which is not SCHEME://HOST:PORT, SCHEME://NAME or SCHEME://* of another machine:"
                + " correct or remove it.");
      }
    }
    return fileSystems;
  }

  /**
   * Returns the path of the job's attachment: {@code _job.<execution>.<job>.attach} in the folder
   * of the {@code .job} file. Azkaban also resolves <code>${…}</code> in this path, if a folder of
   * the project has such a name. Therefore, only the name of the file itself is trusted, and only
   * if it ends with this job's id.
   */
  static Path attachment(String id, Props job) throws JobFailedException {
    Path attachment = Paths.get(job.getString(ATTACHMENT, ""));
    boolean climbs = false;
    for (Path name : attachment) {
      climbs |= name.toString().equals("..");
    }
    String name = String.valueOf(attachment.getFileName());
    if (climbs
        || !attachment.isAbsolute()
        || id.contains("$")
        || !name.matches("_job\\.[0-9]+\\..*")
        || !name.endsWith("." + id + ATTACHMENT_SUFFIX)) {
      throw unknownFolder(attachment);
    }
    return attachment.normalize();
  }

  static String executionId(Path attachment) {
    return attachment.getFileName().toString().replaceFirst("_job\\.([0-9]+)\\..*", "$1");
  }

  /**
   * Returns a name of the job that is unique among all jobs of all executions, and equal in all
   * attempts within one execution. It is the attachment's path without the attempt number that
   * Azkaban puts before the job's id from the second attempt on.
   *
   * @param id the job's id, as passed by Azkaban
   * @param attempt number of the job's attempt, from 0
   */
  static String nameInExecution(String id, Props job, String attempt) throws JobFailedException {
    Path attachment = attachment(id, job);
    String own = nestedName(id, job, attempt);
    return attachment
        .resolveSibling("_job." + executionId(attachment) + "." + own + ATTACHMENT_SUFFIX)
        .toString();
  }

  /**
   * Returns the job's name as Azkaban uses it in file names: the job's id, after the names of the
   * embedding jobs if the job's flow is embedded in another flow.
   *
   * @param attempt number of the job's attempt, from 0
   */
  static String nestedName(String id, Props job, String attempt) throws JobFailedException {
    Path attachment = attachment(id, job);
    String start = "_job." + executionId(attachment) + ".";
    String name = attachment.getFileName().toString();
    String rest = name.substring(start.length(), name.length() - ATTACHMENT_SUFFIX.length());
    boolean numbered = !attempt.equals("0") && rest.startsWith(attempt + ".");
    return numbered ? rest.substring(attempt.length() + 1) : rest;
  }

  /**
   * Returns the execution's folder. In an Azkaban pod, it is the folder that Azkaban creates there.
   * Otherwise, it is the only folder above the attachment whose name is the execution's id or, if
   * there is none, the folder above the attachment that the administrator lists.
   */
  private static Path executionFolder(
      Path attachment, Props job, List<Path> siteFolders, Map<String, String> azkaban)
      throws JobFailedException, IOException {
    String execution = executionId(attachment);
    if (!job.getString(EXECUTION_ID, execution).equals(execution)) {
      throw new JobFailedException(
          EXECUTION_ID + " is Azkaban's to set, and is " + execution + " here: remove it.");
    }
    Optional<Path> ofPod = Pod.executionFolder(execution, azkaban);
    Path parent = Objects.requireNonNull(attachment.getParent());
    if (ofPod.isPresent() && parent.toRealPath().startsWith(ofPod.get())) {
      return ofPod.get();
    }
    List<Path> found = new ArrayList<>();
    for (Path above = parent;
        above != null && above.getFileName() != null;
        above = above.getParent()) {
      if (above.getFileName().toString().equals(execution)) {
        found.add(above);
      }
    }
    if (found.size() == 1) {
      return found.get(0).toRealPath();
    }
    if (found.isEmpty()) {
      // The execution's folder does not have the execution's name. Use the folder that the
      // administrator lists, if any.
      Path folder = parent.toRealPath();
      for (Path allowed : siteFolders) {
        if (folder.startsWith(allowed)) {
          return allowed;
        }
      }
    }
    throw unknownFolder(attachment);
  }

  /**
   * Returns the folder of the project's files, for versions of Azkaban that fill an execution's
   * folder with links to the project's files: the folder to which the link of the {@code .job} file
   * leads. Empty if Azkaban's user does not own this link, because a step that runs as another user
   * can create links, too.
   */
  private static Optional<Path> projectFolder(Path jobFile, Path execution) throws IOException {
    Path folder = Objects.requireNonNull(jobFile.getParent()).toRealPath();
    Path link = folder.resolve(jobFile.getFileName());
    if (!folder.startsWith(execution) || !Files.isSymbolicLink(link)) {
      return Optional.empty();
    }
    Path real = link.toRealPath();
    Path relative = execution.relativize(link);
    Path project = real;
    for (int i = 0; i < relative.getNameCount() && project != null; i++) {
      project = project.getParent();
    }
    if (project == null
        || project.getFileName() == null
        || !project.resolve(relative).equals(real)) {
      return Optional.empty();
    }
    return PROJECT_VERSION.matcher(project.getFileName().toString()).matches()
            && Files.getAttribute(link, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(Paths.get("/proc/self"), "unix:uid"))
        ? Optional.of(project)
        : Optional.empty();
  }

  private static JobFailedException unknownFolder(Path attachment) {
    return new JobFailedException(
        "The execution's folder cannot be determined from "
            + ATTACHMENT
            + "="
            + attachment
            + ": no job or folder of the project may be named with $, .. or like the execution. Where"
            + " Azkaban's folder of an execution is not named after it, the administrator names it"
            + " in "
            + SiteProperties.ALLOWED_PATHS
            + ".");
  }

  /**
   * Returns the real path of a folder that the administrator allows. Empty if the folder does not
   * exist on this machine, because one plugin folder may serve different machines.
   */
  private static Optional<Path> siteFolder(String folder) throws JobFailedException {
    File file = new File(folder);
    boolean isOther = file.exists() && !file.isDirectory();
    if (!file.isAbsolute() || isOther || folder.contains(File.pathSeparator)) {
      throw new JobFailedException(
          SiteProperties.ALLOWED_PATHS
              + " in the job type's "
              + SiteProperties.FILE
              + " names "
              + folder
              + ", which is not the absolute path of a folder without "
              + File.pathSeparator
              + " in it: correct or remove it.");
    }
    return file.isDirectory() ? Optional.of(file.toPath()) : Optional.empty();
  }

  /**
   * Returns the environment variables by which TonY's client gets these folders and file systems.
   */
  Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>();
    environment.put("TONY_JOB_FOLDER", start.getPath());
    environment.put("TONY_JOB_ALLOWED_FOLDERS", String.join(File.pathSeparator, allowed));
    environment.put("TONY_JOB_ALLOWED_FILE_SYSTEMS", String.join(",", fileSystems));
    if (inPod) {
      environment.put("TONY_AZKABAN_POD", "true");
    }
    return Collections.unmodifiableMap(environment);
  }
}
