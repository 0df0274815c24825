package io.tony.executor.program;

import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/** An operating system with which the longest wait for the end of a process is over at once. */
public final class HastyKernel implements Spawner.Kernel {
  @Override
  public void startThread(Runnable start) {
    start.run();
  }

  @Override
  public Process startProcess(ProcessBuilder builder) throws IOException {
    return new Hasty(builder.start());
  }

  private static final class Hasty extends Process {
    private static final long LOOK_MS = 5;

    private final Process real;

    Hasty(Process real) {
      this.real = real;
    }

    /** As after all that time. */
    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
      return real.waitFor(Math.min(LOOK_MS, unit.toMillis(timeout)), TimeUnit.MILLISECONDS);
    }

    @Override
    public int waitFor() throws InterruptedException {
      return real.waitFor();
    }

    @Override
    public OutputStream getOutputStream() {
      return real.getOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return real.getInputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return real.getErrorStream();
    }

    @Override
    public int exitValue() {
      return real.exitValue();
    }

    @Override
    public void destroy() {
      real.destroy();
    }

    @Override
    public long pid() {
      return real.pid();
    }

    @Override
    public ProcessHandle toHandle() {
      return real.toHandle();
    }
  }
}
