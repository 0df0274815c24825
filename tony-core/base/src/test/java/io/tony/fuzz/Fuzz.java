package io.tony.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Inputs that are nearly valid: those of a corpus, each as it is and then damaged in random ways.
 * The corpus is what a test gives, and the files of {@code fuzz/NAME} among the test resources:
 * inputs that once broke something. Another seed: {@code -Dtony.fuzz.seed}; more rounds: {@code
 * -Dtony.fuzz.factor}.
 */
public final class Fuzz {
  public static final long SEED = Long.getLong("tony.fuzz.seed", 20261122L);
  private static final int FACTOR = Integer.getInteger("tony.fuzz.factor", 1);

  /** What most often is one too many. */
  private static final byte[] EDGES = {0, 1, '\n', '\r', ' ', ':', '=', '%', 0x7f, (byte) 0x80, -1};

  private final String name;
  private final List<byte[]> corpus = new ArrayList<>();
  private final Random random = new Random(SEED);

  /** Takes an input. */
  public interface Trial {
    void take(byte[] input) throws Exception;
  }

  public Fuzz(String name, List<byte[]> valid) throws IOException {
    this.name = name;
    corpus.addAll(valid);
    Path folder = Path.of(Fuzz.class.getResource("/fuzz/" + name).getPath());
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        corpus.add(Files.readAllBytes(file));
      }
    }
  }

  public Random random() {
    return random;
  }

  /** Tries each input of the corpus, and so many damaged ones. */
  public void run(int rounds, Trial trial) {
    for (byte[] input : corpus) {
      attempt(input, trial);
    }
    for (int i = 0; i < rounds * FACTOR; i++) {
      attempt(damaged(), trial);
    }
  }

  private void attempt(byte[] input, Trial trial) {
    try {
      trial.take(input);
    } catch (Exception | Error e) {
      throw new AssertionError(
          "keep this input as a file of src/test/resources/fuzz/"
              + name
              + " (-Dtony.fuzz.seed="
              + SEED
              + "): "
              + HexFormat.of().formatHex(input)
              + ", which is: "
              + new String(input, StandardCharsets.ISO_8859_1).replaceAll("[^\\x20-\\x7e]", "?"),
          e);
    }
  }

  private byte[] damaged() {
    byte[] input = any();
    for (int i = 0; i <= random.nextInt(4); i++) {
      input = damaged(input);
    }
    return input;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private byte[] damaged(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = at + random.nextInt(input.length - at + 1);
    byte[] between =
        switch (random.nextInt(7)) {
          case 0 -> new byte[0]; // cut out
          case 1 -> edges(1 + random.nextInt(3)); // something else in its place
          case 2 -> twice(Arrays.copyOfRange(input, at, end));
          case 3 -> part(any());
          case 4 -> noise(random.nextInt(20));
          case 5 -> flipped(Arrays.copyOfRange(input, at, end));
          default -> {
            end = input.length; // cut off
            yield new byte[0];
          }
        };
    if (random.nextInt(3) == 0) {
      end = at; // between what is there
    }
    return join(Arrays.copyOf(input, at), between, Arrays.copyOfRange(input, end, input.length));
  }

  private byte[] edges(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = EDGES[random.nextInt(EDGES.length)];
    }
    return bytes;
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] part(byte[] other) {
    int from = random.nextInt(other.length + 1);
    return Arrays.copyOfRange(other, from, from + random.nextInt(other.length - from + 1));
  }

  private byte[] flipped(byte[] bytes) {
    if (bytes.length > 0) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }

  private static byte[] twice(byte[] bytes) {
    return join(bytes, bytes, new byte[0]);
  }

  private static byte[] join(byte[] one, byte[] two, byte[] three) {
    byte[] all = Arrays.copyOf(one, one.length + two.length + three.length);
    System.arraycopy(two, 0, all, one.length, two.length);
    System.arraycopy(three, 0, all, one.length + two.length, three.length);
    return all;
  }
}
