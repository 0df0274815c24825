package io.tony.client.submit;

import io.tony.client.input.Sha256;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

/**
 * One job of one Azkaban execution, through all its attempts, or one step of a flow, through all
 * its executions: project, flow, execution and job id, exactly as Azkaban gives them.
 */
record JobIdentity(List<String> parts) {
  private static final int HASH_CHARS = 16;

  /** Of HDFS ({@code dfs.namenode.fs-limits.max-component-length}) and of Linux's file systems. */
  private static final int MAX_FOLDER_NAME_BYTES = 255;

  /** What is left of a longer one: there is room for what may be put behind it. */
  private static final int TRUNCATED_FOLDER_NAME_BYTES = 200;

  /** One job of one execution; nothing for a job that is not Azkaban's. */
  static Optional<JobIdentity> of(TonyConfig config) {
    return of(config, AzkabanOptions.identity());
  }

  /** The step, whichever execution it is; nothing for a job that is not Azkaban's. */
  static Optional<JobIdentity> ofStep(TonyConfig config) {
    return of(config, AzkabanOptions.step());
  }

  private static Optional<JobIdentity> of(TonyConfig config, List<ConfigOption<String>> options) {
    List<String> parts = options.stream().map(option -> config.find(option).orElse("")).toList();
    return parts.contains("") ? Optional.empty() : Optional.of(new JobIdentity(parts));
  }

  /** Hexadecimal; different for different identities. */
  String hash() {
    MessageDigest digest = Sha256.newDigest();
    for (String part : parts) {
      digest.update(part.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return Sha256.hexDigest(digest).substring(0, HASH_CHARS);
  }

  /**
   * A name that a person recognises and that is no other job's, for a folder. It has one byte for
   * each character, and at most as many as HDFS and Linux take. Of a name that is too long the
   * beginning is left out, because the job's own name stands at its end.
   */
  String folderName() {
    String readable = String.join(".", parts).replaceAll("[^A-Za-z0-9._-]", "_");
    String name = readable + "-" + hash();
    return name.length() <= MAX_FOLDER_NAME_BYTES
        ? name
        : name.substring(name.length() - TRUNCATED_FOLDER_NAME_BYTES);
  }
}
