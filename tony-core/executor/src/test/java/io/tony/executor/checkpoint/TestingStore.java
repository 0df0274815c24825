package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** A folder of sets in memory. Copies can be made to wait, or to fail. */
public final class TestingStore implements ClusterStore {
  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final Map<String, Manifest> manifests = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> contents = new ConcurrentHashMap<>();
  private volatile Semaphore gate = new Semaphore(Integer.MAX_VALUE / 2);
  private volatile IOException failure;
  private final AtomicInteger failures = new AtomicInteger(); // that are left
  private volatile boolean deaf;
  private volatile Thread copier;

  /** From now on a copy waits for a {@link #let}. */
  public void hold() {
    gate = new Semaphore(0);
  }

  public void let(int copies) {
    gate.release(copies);
  }

  /** Each copy fails, until it is null. */
  public void fail(IOException how) {
    fail(how, Integer.MAX_VALUE);
  }

  /** So many copies fail, before those that do not. */
  public void fail(IOException how, int copies) {
    failures.set(copies);
    failure = how;
  }

  /** A copy that waits goes on when it is let, whoever interrupts it. */
  public void ignoreInterrupts() {
    deaf = true;
  }

  /** Waits until the thread has ended that made the last copy. */
  public void awaitCopierEnded() throws InterruptedException {
    copier.join();
  }

  /** Waits for the next copy to begin; gives its set. */
  public String nextBegun() throws InterruptedException {
    return begun.take();
  }

  /** Whether none has begun but those that were awaited. */
  public boolean isUntouched() {
    return begun.isEmpty();
  }

  /** What is kept in a set, by its files; null where it has none. */
  public Map<String, String> contents(String set) {
    return contents.get(set);
  }

  public Manifest manifest(String set) {
    return manifests.get(set);
  }

  public int sets() {
    return manifests.size();
  }

  private void pass(String set) throws IOException, InterruptedException {
    begun.add(set);
    copier = Thread.currentThread();
    if (deaf) {
      gate.acquireUninterruptibly();
    } else {
      gate.acquire();
    }
    if (failure != null && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw failure;
    }
  }

  @Override
  public Manifest upload(
      String folder, String set, Manifest manifest, Map<String, Path> files, Callable<Void> check)
      throws IOException, InterruptedException {
    if (manifests.containsKey(set)) {
      return manifests.get(set);
    }
    pass(set);
    boolean interrupted = Thread.interrupted(); // files are read by interruptible channels
    Map<String, String> read = new TreeMap<>();
    for (Map.Entry<String, Path> file : files.entrySet()) {
      read.put(file.getKey(), Files.readString(file.getValue(), StandardCharsets.UTF_8));
    }
    try {
      check.call();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    contents.put(set, read);
    manifests.put(set, manifest);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return manifest;
  }

  /** Of one file, in which is the name of the set. */
  @Override
  public Manifest download(String folder, String set, String task, Path into)
      throws IOException, InterruptedException {
    pass(set);
    Manifest manifest = manifests.get(set);
    Files.writeString(into.resolve(manifest.name()), set);
    return manifest;
  }

  /** Has one to bring. */
  public void put(String set, Manifest manifest) {
    manifests.put(set, manifest);
  }
}
