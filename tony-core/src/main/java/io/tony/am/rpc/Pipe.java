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
final class Pipe {
  /** So many bytes of messages wait at most; the last may exceed it. */
  static final int ROOM = 256 * 1024;

  /** Of this process's memory for a chunk, whatever is in it. */
  private static final int OF_EACH = 128;

  private static final PutResponse TAKEN = PutResponse.newBuilder().setTaken(true).build();
  private static final PutResponse FULL = PutResponse.newBuilder().setTaken(false).build();
  private static final TakeResponse NOTHING = TakeResponse.getDefaultInstance();

  private final ScheduledExecutorService scheduler;
  private final Deque<Chunk> chunks = new ArrayDeque<>();
  private int bytes;
  private long last; // the number of the chunk that was put last
  private boolean ended; // by that one
  private HeldCall putting;
  private Chunk waiting; // of that call
  private HeldCall taking;
  private String closed; // why; null while it is not

  /** Empty; {@code scheduler} ends the patience of calls. */
  Pipe(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  /** The answer, or null when the call is held. */
  synchronized PutResponse put(Chunk chunk) throws ServiceException {
    if (closed != null) {
      return PutResponse.newBuilder().setTaken(false).setClosed(closed).build();
    }
    if (chunk.getNumber() <= last) {
      return TAKEN; // its answer was lost on the way
    }
    if (chunk.getNumber() != last + 1 || ended) {
      throw new ServiceException(
          "chunk " + chunk.getNumber() + " of a tunnel came after " + (ended ? "its end" : last));
    }
    if (bytes >= ROOM) {
      if (putting != null) {
        putting.answer(FULL); // one end has one call open: that one was lost on the way
      }
      putting = HeldCall.hold(FULL, scheduler);
      waiting = chunk;
      return null;
    }
    accept(chunk);
    return TAKEN;
  }

  private void accept(Chunk chunk) {
    last = chunk.getNumber();
    ended = chunk.getEnd();
    if (chunk.hasData() || chunk.hasWindow() || chunk.getEnd()) {
      chunks.add(chunk);
      bytes += cost(chunk);
      if (taking != null) {
        taking.answer(next());
        taking = null;
      }
    }
  }

  private static int cost(Chunk chunk) {
    return OF_EACH + chunk.getSerializedSize();
  }

  private TakeResponse next() {
    return TakeResponse.newBuilder().setChunk(chunks.peek()).build();
  }

  /** The answer, or null when the call is held. */
  synchronized TakeResponse take(long known) {
    while (!chunks.isEmpty() && chunks.peek().getNumber() <= known) {
      bytes -= cost(chunks.remove());
    }
    if (putting != null && bytes < ROOM) {
      if (waiting.getNumber() == last + 1) {
        accept(waiting);
      }
      putting.answer(TAKEN); // where its patience has ended, it is put again
      putting = null;
    }
    if (!chunks.isEmpty()) {
      return next();
    }
    if (closed != null) {
      return TakeResponse.newBuilder().setClosed(closed).build();
    }
    if (taking != null) {
      taking.answer(NOTHING);
    }
    taking = HeldCall.hold(NOTHING, scheduler);
    return null;
  }

  /** No further put is taken. What waits, in a held put also, can still be taken. */
  synchronized void close(String why) {
    if (closed == null) {
      closed = why;
      if (putting != null) {
        putting.answer(PutResponse.newBuilder().setTaken(false).setClosed(why).build());
      }
      if (taking != null) {
        taking.answer(TakeResponse.newBuilder().setClosed(why).build());
      }
    }
  }
}
