package io.tony.executor.program;

import java.util.regex.Pattern;

/**
 * Recognizes, in a program's stderr, that the program could not bind a port because another process
 * had bound it. Searches for the name, text or Linux number (98) of the C library's error, and for
 * messages of gRPC, Docker and the like.
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
              // last line that gRPC's core prints in this case
              + "|No address added out of total \\d+ resolved",
          Pattern.CASE_INSENSITIVE);

  private AddressInUse() {}

  static boolean isReportedIn(String stderr) {
    return MESSAGE.matcher(stderr).find();
  }
}
