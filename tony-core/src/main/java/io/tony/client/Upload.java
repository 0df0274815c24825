package io.tony.client;

import io.tony.config.ProgramOptions;
import io.tony.config.RoleOptions;
import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Brings a job's local files into its staging folder, and gives the configuration as the
 * ApplicationMaster will read it: with the staged places instead of the local ones.
 */
final class Upload {
  private final Staging staging;
  private final Path workingDirectory;
  private final Map<String, String> staged = new HashMap<>();

  Upload(Staging staging, Path workingDirectory) {
    this.staging = staging;
    this.workingDirectory = workingDirectory;
  }

  /**
   * Uploads everything that the tasks need. Interrupting the thread ends it with an exception.
   *
   * @param settled values that the client has settled where the user left them open
   */
  TonyConfig run(TonyConfig config, JobSpec job, Path jar, Map<String, String> settled)
      throws IOException {
    copy(jar, staging.jar());
    Map<String, String> values = new TreeMap<>(config.asMap());
    values.putAll(settled);
    if (config.isSet(ProgramOptions.SRC_DIR)) {
      pack(local(config.get(ProgramOptions.SRC_DIR)), staging.source());
      values.put(ProgramOptions.SRC_DIR.key(), staging.source().toString());
    }
    if (config.isSet(ProgramOptions.PYTHON_VENV)) {
      String venv = config.get(ProgramOptions.PYTHON_VENV);
      FileSpec spec = new FileSpec(venv, venv.substring(venv.lastIndexOf('/') + 1), true);
      values.put(ProgramOptions.PYTHON_VENV.key(), stage(spec).source());
    }
    if (config.isSet(ProgramOptions.FILES)) {
      values.put(ProgramOptions.FILES.key(), stageAll(config.get(ProgramOptions.FILES)));
    }
    for (RoleSpec role : job.roles()) {
      var files = RoleOptions.FILES.at(role.name());
      if (config.isSet(files)) {
        values.put(files.key(), stageAll(config.get(files)));
      }
    }
    TonyConfig frozen = TonyConfig.builder().layer("the submitted job", values).build();
    staging.writeConfig(frozen);
    return frozen;
  }

  private String stageAll(List<String> specs) throws IOException {
    List<String> places = new ArrayList<>();
    for (String spec : specs) {
      places.add(stage(FileSpec.parse(spec)).toString());
    }
    return places.stream().collect(Collectors.joining(","));
  }

  private FileSpec stage(FileSpec spec) throws IOException {
    if (spec.remote()) {
      return spec;
    }
    Path source = local(spec.source());
    boolean folder = Files.isDirectory(source);
    String known = staged.get(spec.source());
    if (known == null) {
      // YARN writes the name into a shell script; the task sees spec.name() instead.
      String plain = source.getFileName().toString().replaceAll("[^A-Za-z0-9._-]", "_");
      String name = plain + (folder ? ".tar.gz" : "");
      org.apache.hadoop.fs.Path target = staging.file(staged.size(), name);
      if (folder) {
        pack(source, target);
      } else {
        copy(source, target);
      }
      known = target.toString();
      staged.put(spec.source(), known);
    }
    return new FileSpec(known, spec.name(), spec.archive() || folder);
  }

  private Path local(String source) {
    return LocalFiles.resolve(workingDirectory, source);
  }

  private void copy(Path source, org.apache.hadoop.fs.Path target) throws IOException {
    try (OutputStream out = staging.write(target)) {
      Files.copy(source, out);
    }
  }

  private void pack(Path folder, org.apache.hadoop.fs.Path target) throws IOException {
    try (OutputStream out = staging.write(target)) {
      SourceArchive.write(folder, out);
    }
  }
}
