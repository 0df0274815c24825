package io.tony.am.rpc;

import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * One direction of a tunnel: the chunks that one end has put and the other has not taken yet. Its
 * size is limited: a put is held until there is room, and a take until there is a chunk.
 */
final class TunnelPipe {
  /** So many bytes of messages wait at most; the last may exceed it. */
  static final int MAX_BYTES = 256 * 1024;

  /** Of this process's memory for a chunk, whatever is in it. */
  private static final int CHUNK_OVERHEAD_BYTES = 128;

  private static final PutResponse TAKEN = PutResponse.newBuilder().setTaken(true).build();
  private static final PutResponse FULL = PutResponse.newBuilder().setTaken(false).build();
  private static final TakeResponse EMPTY = TakeResponse.getDefaultInstance();

  private final ScheduledExecutorService scheduler;
  private final Deque<Chunk> chunks = new ArrayDeque<>();
  private int bytes;
  private long lastNumber; // the number of the chunk that was put last
  private boolean ended; // by that one
  private HeldCall pendingPut;
  private Chunk pendingChunk; // of that call
  private HeldCall pendingTake;
  private String closeReason; // why; null while it is not

  /** Empty; {@code scheduler} ends the patience of calls. */
  TunnelPipe(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  /** The answer, or null when the call is held. */
  synchronized PutResponse put(Chunk chunk) throws ServiceException {
    if (closeReason != null) {
      return PutResponse.newBuilder().setTaken(false).setClosed(closeReason).build();
    }
    if (chunk.getNumber() <= lastNumber) {
      return TAKEN; // its answer was lost on the way
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
        pendingPut.answer(FULL); // one end has one call open: that one was lost on the way
      }
      pendingPut = HeldCall.hold(FULL, scheduler);
      pendingChunk = chunk;
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

  /** The answer, or null when the call is held. */
  synchronized TakeResponse take(long lastTaken) {
    while (!chunks.isEmpty() && chunks.peek().getNumber() <= lastTaken) {
      bytes -= cost(chunks.remove());
    }
    if (pendingPut != null && bytes < MAX_BYTES) {
      if (pendingChunk.getNumber() == lastNumber + 1) {
        accept(pendingChunk);
      }
      pendingPut.answer(TAKEN); // where its patience has ended, it is put again
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

  /** No further put is taken. What waits, in a held put also, can still be taken. */
  synchronized void close(String why) {
    if (closeReason == null) {
      closeReason = why;
      if (pendingPut != null) {
        pendingPut.answer(PutResponse.newBuilder().setTaken(false).setClosed(why).build());
      }
      if (pendingTake != null) {
        pendingTake.answer(TakeResponse.newBuilder().setClosed(why).build());
      }
    }
  }
}
