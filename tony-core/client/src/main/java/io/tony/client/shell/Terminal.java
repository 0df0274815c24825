package io.tony.client.shell;

import io.tony.process.Spawner;
import io.tony.tunnel.Chunk;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The terminal of this process in raw mode and without echo, so that each key can be read at once.
 * Uses {@code stty}. {@link #close} restores the former settings.
 */
public final class Terminal implements AutoCloseable {
  private static final String TYPE = "TERM";

  /**
   * Shell script that prints the terminal's size at its start and after each change, until its
   * standard input is closed. It polls, because a shell that traps resize signals may miss the
   * second of two in quick succession.
   */
  private static final String SIZE_WATCH_SCRIPT =
      "told=; while read -r -t 0.5 || (($? > 128)); do"
          + " if size=$(stty size </dev/tty) && [[ $size != \"$told\" ]]; then"
          + " echo \"$size\"; told=$size; fi; done";

  private final String savedSettings;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Process sizeWatch;

  private Terminal(String savedSettings, Process sizeWatch) {
    this.savedSettings = savedSettings;
    this.sizeWatch = sizeWatch;
  }

  /** Returns true if standard input and standard output of this process are a terminal. */
  public static boolean isAvailable() throws IOException, InterruptedException {
    return Spawner.SYSTEM
            .startProcess(new ProcessBuilder("bash", "-c", "test -t 0 && test -t 1").inheritIO())
            .waitFor()
        == 0;
  }

  /** Puts the terminal into raw mode, without echo. */
  static Terminal acquire() throws IOException, InterruptedException {
    String savedSettings = stty(List.of("-g"));
    Process sizeWatch =
        Spawner.SYSTEM.startProcess(
            new ProcessBuilder("bash", "-c", SIZE_WATCH_SCRIPT).redirectError(Redirect.DISCARD));
    Terminal terminal = new Terminal(savedSettings, sizeWatch);
    // If a signal ends this process, restore the terminal's settings, so that what the user types
    // is visible in their own shell.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::close, "terminal"));
    stty(List.of("raw", "-echo"));
    return terminal;
  }

  /**
   * Calls {@code onWindow} with the terminal's size now and after each change, on a background
   * thread.
   */
  void notifySizes(Consumer<Chunk.Window> onWindow) throws IOException {
    Spawner.SYSTEM.startThread("window", () -> readSizes(onWindow));
  }

  private void readSizes(Consumer<Chunk.Window> onWindow) {
    try (BufferedReader sizes =
        new BufferedReader(
            new InputStreamReader(sizeWatch.getInputStream(), StandardCharsets.UTF_8))) {
      for (String size = sizes.readLine(); size != null; size = sizes.readLine()) {
        onWindow.accept(window(size));
      }
    } catch (IOException e) {
      // the terminal was closed, so its size does not matter
    }
  }

  static String type() {
    return System.getenv().getOrDefault(TYPE, "");
  }

  /** Returns the terminal's current size. */
  static Chunk.Window window() throws IOException, InterruptedException {
    return window(stty(List.of("size")));
  }

  private static Chunk.Window window(String size) {
    String[] numbers = size.strip().split(" ", 2);
    try {
      Chunk.Window window =
          new Chunk.Window(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
      return window.isValid() ? window : Chunk.Window.DEFAULT;
    } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
      return Chunk.Window.DEFAULT;
    }
  }

  private static String stty(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(arguments);
    Process stty =
        Spawner.SYSTEM.startProcess(new ProcessBuilder(command).redirectInput(Redirect.INHERIT));
    String output = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (stty.waitFor() != 0) {
      String error = new String(stty.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      throw new IOException(String.join(" ", command) + " failed: " + error.strip());
    }
    return output.strip();
  }

  /** Restores the terminal's former settings. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      sizeWatch.destroy();
      try {
        stty(List.of(savedSettings));
      } catch (IOException e) {
        System.err.println("the terminal may need \"stty sane\": " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
