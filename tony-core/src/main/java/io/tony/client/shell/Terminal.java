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
 * The terminal that this process runs at: each key goes to whoever reads it, and nothing is echoed,
 * until it is closed. {@code stty} does that.
 */
public final class Terminal implements AutoCloseable {
  private static final String TYPE = "TERM";

  /**
   * Tells the size at first and whenever there is another one, until its standard input ends. (It
   * looks itself: of two signals of a new size, close together, a shell takes one.)
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

  /** Whether there is one that people type at and read from. */
  public static boolean isAvailable() throws IOException, InterruptedException {
    return Spawner.SYSTEM
            .startProcess(new ProcessBuilder("bash", "-c", "test -t 0 && test -t 1").inheritIO())
            .waitFor()
        == 0;
  }

  /** Takes it. */
  static Terminal acquire() throws IOException, InterruptedException {
    String savedSettings = stty(List.of("-g"));
    Process sizeWatch =
        Spawner.SYSTEM.startProcess(
            new ProcessBuilder("bash", "-c", SIZE_WATCH_SCRIPT).redirectError(Redirect.DISCARD));
    Terminal terminal = new Terminal(savedSettings, sizeWatch);
    // However this process ends, the user's shell is not to be left without an echo.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::close, "terminal"));
    stty(List.of("raw", "-echo"));
    return terminal;
  }

  /** From now on {@code onWindow} is told each new size, on another thread. */
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
      // it is closed, and no size matters any more
    }
  }

  static String type() {
    return System.getenv().getOrDefault(TYPE, "");
  }

  /** How large it is now. */
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

  /** As it was before. */
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
