package io.tony.executor;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Path;

/** A file that a reader and a writer wait for each other at. */
public final class NamedPipe {
  private NamedPipe() {}

  public static void make(Path file) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
  }
}
