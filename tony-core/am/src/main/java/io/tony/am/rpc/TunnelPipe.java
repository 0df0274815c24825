package io.tony.am.rpc;

import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a tunnel: chunks that one end has put and the other has not taken yet. Their
 * total size is limited: a put is held until there is room, and a take until there is a chunk.
 * Thread-safe.
 */
final class TunnelPipe {
  /** Maximum number of buffered bytes, which the last chunk may exceed. */
  static final int MAX_BYTES = 256 * 1024;

  /** Bytes of memory that each chunk takes in addition to its message. */
  private static final int CHUNK_OVERHEAD_BYTES = 128;

  private static final PutResponse TAKEN = PutResponse.newBuilder().setTaken(true).build();
  private static final PutResponse FULL = PutResponse.newBuilder().setTaken(false).build();
  private static final TakeResponse EMPTY = TakeResponse.getDefaultInstance();

  /** A held put and its chunk. */
  private record PendingPut(HeldCall call, Chunk chunk) {}

  private final ScheduledExecutorService scheduler;
  private final Deque<Chunk> chunks = new ArrayDeque<>();
  private int bytes;
  private long lastNumber; // number of the last chunk that was accepted
  private boolean ended; // true if the last accepted chunk ended the stream
  private @Nullable PendingPut pendingPut; // null if no put is held
  private @Nullable HeldCall pendingTake; // null if no take is held
  private @Nullable String closeReason; // null while the pipe is open

  /** Creates an empty pipe; {@code scheduler} answers held calls after their timeout. */
  TunnelPipe(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Accepts the chunk and returns the answer; if the pipe is full, holds the call and returns null.
   */
  synchronized @Nullable PutResponse put(Chunk chunk) throws ServiceException {
    if (closeReason != null) {
      return PutResponse.newBuilder().setTaken(false).setClosed(closeReason).build();
    }
    if (chunk.getNumber() <= lastNumber) {
      // The sender repeats a put because the answer to the first one was lost.
      return TAKEN;
    }
    if (chunk.getNumber() != lastNumber + 1 || ended) {
      throw new ServiceException(
          "chunk "
              + chunk.getNumber()
              + " of a tunnel came after "
              + (ended ? "its end" : lastNumber));
    }
    if (bytes >= MAX_BYTES) {
      if (pendingPut != null) {
        // Each end calls once at a time: if an earlier put is still held, its connection was lost.
        pendingPut.call().answer(FULL);
      }
      pendingPut = new PendingPut(HeldCall.hold(FULL, scheduler), chunk);
      return null;
    }
    accept(chunk);
    return TAKEN;
  }

  private void accept(Chunk chunk) {
    lastNumber = chunk.getNumber();
    ended = chunk.getEnd();
    if (chunk.hasData() || chunk.hasWindow() || chunk.getEnd()) {
      chunks.add(chunk);
      bytes += cost(chunk);
      if (pendingTake != null) {
        pendingTake.answer(next());
        pendingTake = null;
      }
    }
  }

  private static int cost(Chunk chunk) {
    return CHUNK_OVERHEAD_BYTES + chunk.getSerializedSize();
  }

  private TakeResponse next() {
    return TakeResponse.newBuilder().setChunk(chunks.peek()).build();
  }

  /**
   * Removes the chunks up to number {@code lastTaken}, and returns the next one. If there is none,
   * holds the call and returns null.
   */
  synchronized @Nullable TakeResponse take(long lastTaken) {
    while (!chunks.isEmpty() && chunks.peek().getNumber() <= lastTaken) {
      bytes -= cost(chunks.remove());
    }
    if (pendingPut != null && bytes < MAX_BYTES) {
      PendingPut held = pendingPut;
      if (held.chunk().getNumber() == lastNumber + 1) {
        accept(held.chunk());
      }
      // Has no effect if the held put has timed out: the sender then repeats it.
      held.call().answer(TAKEN);
      pendingPut = null;
    }
    if (!chunks.isEmpty()) {
      return next();
    }
    if (closeReason != null) {
      return TakeResponse.newBuilder().setClosed(closeReason).build();
    }
    if (pendingTake != null) {
      pendingTake.answer(EMPTY);
    }
    pendingTake = HeldCall.hold(EMPTY, scheduler);
    return null;
  }

  /**
   * Closes the pipe: refuses the held put and all further puts. The other end can still take the
   * chunks that were accepted before, and may also get the chunk of the held put although that put
   * is refused.
   */
  synchronized void close(String why) {
    if (closeReason == null) {
      closeReason = why;
      if (pendingPut != null) {
        pendingPut.call().answer(PutResponse.newBuilder().setTaken(false).setClosed(why).build());
      }
      if (pendingTake != null) {
        pendingTake.answer(TakeResponse.newBuilder().setClosed(why).build());
      }
    }
  }
}
