package io.tony.executor.program;

import java.util.regex.Pattern;

/**
 * Recognizes a program that did not get a port because another process had it first, by what it
 * leaves on stderr: the name of the C library's error, its text, its number on Linux (98), or the
 * words that a runtime has for it.
 */
final class AddressInUse {
  private static final Pattern MESSAGE =
      Pattern.compile(
          "EADDRINUSE"
              + "|address(?: is)? already in use"
              + "|address in use"
              + "|AddrInUse" // Rust
              + "|port(?: \\d+)? is already (?:in use|allocated)"
              // "[Errno 98]" of Python, "errno: 98" of c10d, "(os error 98)" of Rust
              + "|\\berrno\\W{0,3}98\\b"
              + "|\\bos error 98\\b"
              // gRPC's core says no more than this in its last line
              + "|No address added out of total \\d+ resolved",
          Pattern.CASE_INSENSITIVE);

  private AddressInUse() {}

  static boolean isReportedIn(String stderr) {
    return MESSAGE.matcher(stderr).find();
  }
}
