package io.tony.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * First bytes of an executable file; finds the file's interpreter or its processor architecture.
 * Immutable.
 */
public final class ProgramHead {
  /**
   * Number of bytes read. The kernel looks for the interpreter's name in this part of a script,
   * too.
   */
  private static final int MAX_BYTES = 256;

  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  /** Position of the byte in an ELF file that tells the byte order; 2 means big-endian. */
  private static final int BYTE_ORDER_OFFSET = 5;

  private static final int MACHINE_OFFSET = 18;

  /** Names of architectures as in Java's {@code os.arch}, by the machine numbers in ELF files. */
  private static final Map<Integer, String> MACHINES =
      Map.of(
          3, "i386", 21, "ppc64", 22, "s390x", 40, "arm", 62, "amd64", 183, "aarch64", 243,
          "riscv64");

  private final byte[] bytes;

  private ProgramHead(byte[] bytes) {
    this.bytes = bytes;
  }

  public static ProgramHead read(InputStream program) throws IOException {
    return new ProgramHead(program.readNBytes(MAX_BYTES));
  }

  /**
   * Returns the interpreter that the first line names ({@code #!/bin/sh}); empty if the file is not
   * a script of this form.
   */
  public Optional<String> interpreter() {
    return firstLine().findFirst();
  }

  /**
   * Returns the program that {@code env} looks for on {@code PATH} in order to run this file
   * ({@code #!/usr/bin/env python}); empty if the first line does not call {@code env}.
   */
  public Optional<String> interpreterOnPath() {
    return interpreter()
        .filter(name -> name.endsWith("/env"))
        .flatMap(
            env ->
                firstLine()
                    .skip(1)
                    .filter(part -> !part.startsWith("-") && !part.contains("="))
                    .findFirst());
  }

  /** Returns the parts of the line after {@code #!}. */
  private Stream<String> firstLine() {
    if (bytes.length < 3 || bytes[0] != '#' || bytes[1] != '!') {
      return Stream.empty();
    }
    String line = new String(bytes, 2, bytes.length - 2, StandardCharsets.UTF_8);
    String first = line.lines().findFirst().orElse("").strip();
    return Stream.of(first.split("[ \\t]+", -1)).filter(part -> !part.isEmpty());
  }

  /**
   * Returns the architecture for which the file was built, as in Java's {@code os.arch}; {@code
   * macOS} or {@code Windows} for an executable of that system. Empty for a script or an unknown
   * format.
   */
  public Optional<String> machine() {
    if (bytes.length > MACHINE_OFFSET + 1 && Arrays.equals(Arrays.copyOf(bytes, ELF.length), ELF)) {
      int one = bytes[MACHINE_OFFSET] & 0xff;
      int other = bytes[MACHINE_OFFSET + 1] & 0xff;
      int machine = bytes[BYTE_ORDER_OFFSET] == 2 ? one << 8 | other : other << 8 | one;
      return Optional.ofNullable(MACHINES.get(machine));
    }
    if (bytes.length < 4) {
      return Optional.empty();
    }
    int magic = (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8;
    magic |= bytes[3] & 0xff;
    return switch (magic) {
      case 0xcffaedfe, 0xcefaedfe -> Optional.of("macOS");
      default -> bytes[0] == 'M' && bytes[1] == 'Z' ? Optional.of("Windows") : Optional.empty();
    };
  }

  /** Returns {@link #machine} if this machine cannot run the file; empty if it may be able to. */
  public Optional<String> incompatibleMachine() {
    String here = System.getProperty("os.arch");
    return machine()
        .filter(machine -> !machine.equals(here))
        .filter(machine -> !(machine.equals("i386") && here.equals("amd64")))
        .filter(machine -> !(machine.startsWith("ppc64") && here.startsWith("ppc64")));
  }
}
