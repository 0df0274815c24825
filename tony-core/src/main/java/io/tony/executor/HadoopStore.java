package io.tony.executor;

import io.tony.checkpoint.Manifest;
import io.tony.executor.checkpoint.ClusterStore;
import io.tony.executor.checkpoint.FileNames;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** By Hadoop's file systems, as the job's submitter. Its classes are loaded for the first call. */
final class HadoopStore implements ClusterStore {
  private static final ExecutorLog LOG = new ExecutorLog(HadoopStore.class);
  private static final String COPY = "io.tony.executor.hadoop.CheckpointCopy";

  private final HadoopCalls hadoop;
  private final ProgramTokens tokens;
  private final String container;

  HadoopStore(HadoopCalls hadoop, ProgramTokens tokens, String container) {
    this.hadoop = hadoop;
    this.tokens = tokens;
    this.container = container;
  }

  @Override
  public Manifest keep(
      String folder, String set, Manifest manifest, Map<String, Path> files, Callable<Void> check)
      throws IOException, InterruptedException {
    String known = manifest.write();
    Object there =
        hadoop.call(COPY, "keep", folder, set, container, known, files, check, tokens.toBytes());
    Manifest kept = Manifest.read((String) there);
    if (!kept.made().equals(manifest.made())) {
      LOG.info(set + " has a checkpoint of " + manifest.task() + " already, which stays");
    }
    return kept;
  }

  @Override
  public Manifest bring(String folder, String set, String task, Path into)
      throws IOException, InterruptedException {
    Function<String, Path> places =
        name -> {
          try {
            return FileNames.resolve(into, name);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    try {
      return Manifest.read(
          (String) hadoop.call(COPY, "bring", folder, set, task, places, tokens.toBytes()));
    } catch (StreamCorruptedException | FileNotFoundException e) {
      throw new Unusable(e.getMessage(), e);
    }
  }
}
