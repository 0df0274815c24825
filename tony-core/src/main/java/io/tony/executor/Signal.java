package io.tony.executor;

import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** What the owner of a {@link TaskLife} is told by other threads. */
sealed interface Signal {
  /** The source folder is unpacked; {@code failure} is null, or says why it is not. */
  record Prepared(IOException failure) implements Signal {}

  /** The ApplicationMaster wants something. */
  record Commanded(AwaitResponse command) implements Signal {}

  /** The program and its group are gone. */
  record ProgramEnded(int exitCode) implements Signal {}

  /** The program accepts connections at the port for TensorBoard. */
  record TensorBoardListens(ProgramRun run) implements Signal {}

  /** A call of the ApplicationMaster failed for good. */
  record CallFailed(Exception cause) implements Signal {}

  /** YARN ends this container; {@code done} is to be counted down when the program is gone. */
  record Terminated(CountDownLatch done) implements Signal {}
}
