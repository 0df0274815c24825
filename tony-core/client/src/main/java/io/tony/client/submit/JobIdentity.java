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
 * Identifies one job of one Azkaban execution (the same for all attempts) or one step of a flow
 * (the same for all executions).
 *
 * @param parts project, flow, execution and job id, exactly as Azkaban writes them; a step has no
 *     execution
 */
record JobIdentity(List<String> parts) {
  private static final int HASH_CHARS = 16;

  /**
   * Maximum number of bytes of a file name in HDFS ({@code
   * dfs.namenode.fs-limits.max-component-length}) and in Linux file systems.
   */
  private static final int MAX_FOLDER_NAME_BYTES = 255;

  /** Number of bytes to which a longer name is cut; leaves room for a suffix. */
  private static final int TRUNCATED_FOLDER_NAME_BYTES = 200;

  /**
   * Returns the identity of this job in this execution; empty if the job does not run in Azkaban.
   */
  static Optional<JobIdentity> of(TonyConfig config) {
    return of(config, AzkabanOptions.identity());
  }

  /**
   * Returns the identity of this step, which is the same in every execution of the flow; empty if
   * the job does not run in Azkaban.
   */
  static Optional<JobIdentity> ofStep(TonyConfig config) {
    return of(config, AzkabanOptions.step());
  }

  private static Optional<JobIdentity> of(TonyConfig config, List<ConfigOption<String>> options) {
    List<String> parts = options.stream().map(option -> config.find(option).orElse("")).toList();
    return parts.contains("") ? Optional.empty() : Optional.of(new JobIdentity(parts));
  }

  /** Returns a hash of all parts, as hexadecimal digits. */
  String hash() {
    MessageDigest digest = Sha256.newDigest();
    for (String part : parts) {
      digest.update(part.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return Sha256.hexDigest(digest).substring(0, HASH_CHARS);
  }

  /**
   * Returns a readable ASCII folder name that is unique to this identity and no longer than HDFS
   * and Linux allow. If the name would be too long, its beginning is cut off, because the job's own
   * name is at the end.
   */
  String folderName() {
    String readable = String.join(".", parts).replaceAll("[^A-Za-z0-9._-]", "_");
    String name = readable + "-" + hash();
    return name.length() <= MAX_FOLDER_NAME_BYTES
        ? name
        : name.substring(name.length() - TRUNCATED_FOLDER_NAME_BYTES);
  }
}
