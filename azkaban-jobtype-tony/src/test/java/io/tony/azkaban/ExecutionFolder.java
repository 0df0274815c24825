package io.tony.azkaban;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The folder of execution 17, and what Azkaban tells each of its jobs about it. */
record ExecutionFolder(Path path) {

  static ExecutionFolder in(Path root) throws IOException {
    return new ExecutionFolder(
        Files.createDirectories(root.toRealPath().resolve("executions of Azkaban/17")));
  }

  /** Of the job train, whose file lies in a folder below this one. */
  Map<String, String> properties(Path jobFolder) {
    return properties(jobFolder, "train");
  }

  Map<String, String> properties(Path jobFolder, String job) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("working.dir", jobFolder.toString());
    properties.put(
        "azkaban.job.attachment.file", jobFolder.resolve("_job.17." + job + ".attach").toString());
    return properties;
  }
}
