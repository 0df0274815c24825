package io.tony.executor.bridge;

import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.FileNames;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.token.ProgramTokens;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * Uploads and downloads checkpoints through Hadoop's file systems, as the job's submitter. Hadoop's
 * classes are loaded at the first call.
 */
public final class HadoopStore implements ClusterStore {
  private static final ExecutorLog LOG = new ExecutorLog(HadoopStore.class);
  private static final String COPY = "io.tony.executor.hadoop.CheckpointCopy";

  private final HadoopCalls hadoop;
  private final ProgramTokens tokens;
  private final String container;

  public HadoopStore(HadoopCalls hadoop, ProgramTokens tokens, String container) {
    this.hadoop = hadoop;
    this.tokens = tokens;
    this.container = container;
  }

  @Override
  public Manifest upload(
      String folder,
      String checkpointName,
      Manifest manifest,
      Map<String, Path> files,
      Callable<Void> check)
      throws IOException, InterruptedException {
    String manifestText = manifest.write();
    Object storedText =
        hadoop.call(
            COPY,
            "upload",
            folder,
            checkpointName,
            container,
            manifestText,
            files,
            check,
            tokens.toBytes());
    Manifest stored = Manifest.read((String) storedText);
    if (!stored.createdAt().equals(manifest.createdAt())) {
      LOG.info(
          checkpointName + " has a checkpoint of " + manifest.task() + " already, which stays");
    }
    return stored;
  }

  @Override
  public Manifest download(String folder, String checkpointName, String task, Path target)
      throws IOException, InterruptedException {
    Function<String, Path> localFiles =
        name -> {
          try {
            return FileNames.resolve(target, name);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    try {
      return Manifest.read(
          (String)
              hadoop.call(
                  COPY, "download", folder, checkpointName, task, localFiles, tokens.toBytes()));
    } catch (StreamCorruptedException | FileNotFoundException e) {
      throw new UnusableCheckpointException(
          Objects.requireNonNullElse(e.getMessage(), e.toString()), e);
    }
  }
}
