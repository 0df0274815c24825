package io.tony.process;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An operating system with which the n-th thread, or the n-th process, cannot be started, and so
 * many after it.
 */
public final class ScarceKernel implements Spawner.Kernel {
  private final int firstThread;
  private final int firstProcess;
  private final int length;
  private final AtomicInteger threads = new AtomicInteger();
  private final AtomicInteger processes = new AtomicInteger();

  private ScarceKernel(int firstThread, int firstProcess, int length) {
    this.firstThread = firstThread;
    this.firstProcess = firstProcess;
    this.length = length;
  }

  /** Numbers begin at 1. */
  public static ScarceKernel withoutThreads(int first, int length) {
    return new ScarceKernel(first, 0, length);
  }

  public static ScarceKernel withoutProcesses(int first, int length) {
    return new ScarceKernel(0, first, length);
  }

  public static ScarceKernel ofPlenty() {
    return new ScarceKernel(0, 0, 0);
  }

  public int threads() {
    return threads.get();
  }

  public int processes() {
    return processes.get();
  }

  private boolean refuses(int first, int number) {
    return first > 0 && number >= first && number - first < length;
  }

  @Override
  public void startThread(Runnable start) {
    if (refuses(firstThread, threads.incrementAndGet())) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    start.run();
  }

  @Override
  public Process startProcess(ProcessBuilder builder) throws IOException {
    if (refuses(firstProcess, processes.incrementAndGet())) {
      throw new IOException("error=11, Resource temporarily unavailable");
    }
    return builder.start();
  }
}
