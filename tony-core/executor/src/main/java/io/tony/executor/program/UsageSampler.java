package io.tony.executor.program;

import io.tony.executor.rpc.UsageSample;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Samples a program's resource usage periodically, on a background thread. */
final class UsageSampler implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(UsageSampler.class);

  private final ProcessScanner program;
  private final Duration interval;
  private final GpuQuery gpus;
  private final AtomicReference<UsageSample> latest = new AtomicReference<>();
  private @Nullable Thread thread; // null if no thread could be started

  // The fields below are the state after the last sample; used only by the sampling thread.
  private long lastNanos = System.nanoTime();
  private Duration lastCpu = Duration.ZERO;
  private long peakKiB;
  private boolean failing;

  private UsageSampler(ProcessScanner program, ExecutorSettings.Sampling sampling) {
    this.program = program;
    this.interval = sampling.interval();
    this.gpus = new GpuQuery(sampling.gpuProgram(), sampling.gpus());
  }

  /**
   * Starts sampling. If no thread can be started, there are no samples.
   *
   * @param program scanner for the program's processes; must not be used by other threads
   */
  static UsageSampler start(
      ProcessScanner program, ExecutorSettings.Sampling sampling, Spawner spawner) {
    UsageSampler sampler = new UsageSampler(program, sampling);
    try {
      sampler.thread = spawner.startThread("sampler", sampler::run);
    } catch (IOException e) {
      LOG.warn("what the program uses is not sampled: " + e);
    }
    return sampler;
  }

  /** Returns the latest sample; null if there is none since the last call. */
  @Nullable UsageSample takeLatest() {
    return latest.getAndSet(null);
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(interval.toMillis());
        sampleOnce();
      }
    } catch (InterruptedException e) {
      // close was called: the program has ended
    }
  }

  private void sampleOnce() throws InterruptedException {
    try {
      latest.set(sample());
      failing = false;
    } catch (IOException | RuntimeException e) {
      if (!failing) { // log only the first of consecutive failures
        LOG.warn("what the program uses cannot be sampled for now", e);
      }
      failing = true;
    }
  }

  private UsageSample sample() throws IOException, InterruptedException {
    ProcessTree processes = program.scan();
    long now = System.nanoTime();
    long spanNanos = Math.max(1, now - lastNanos);
    // The CPU time decreases when a process ends whose parent has not waited for it. If the
    // difference is negative, the sample reports that no core was used.
    long usedNanos = Math.max(0, processes.cpu().minus(lastCpu).toNanos());
    lastCpu = processes.cpu();
    lastNanos = now;
    ProcessTree.Memory memory = processes.memory();
    peakKiB = Math.max(peakKiB, memory.peak());
    return new UsageSample(
        mebibytes(memory.resident()),
        mebibytes(peakKiB),
        mebibytes(ProcessTree.ownMemory().resident()),
        (double) usedNanos / spanNanos,
        TimeUnit.NANOSECONDS.toMillis(spanNanos),
        gpus.query());
  }

  private static long mebibytes(long kibibytes) {
    return Math.round(kibibytes / 1024.0);
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.interrupt();
    }
  }
}
