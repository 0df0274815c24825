package io.tony.executor.rpc;

/** What a heartbeat was answered with. */
public final class Told {
  public static final Told NOTHING = new Told(0, 0, 0, null);

  private final long events;
  private final int toldBy;
  private final long tokensVersion;
  private final byte[] tokens;

  Told(long events, int toldBy, long tokensVersion, byte[] tokens) {
    this.events = events;
    this.toldBy = toldBy;
    this.tokensVersion = tokensVersion;
    this.tokens = tokens;
  }

  /** How many events of the job were in its log. */
  long events() {
    return events;
  }

  /** Which ApplicationMaster of the job, from 1, said so; 0 where none did. */
  public int toldBy() {
    return toldBy;
  }

  /** Of {@link #tokens}. */
  public long tokensVersion() {
    return tokensVersion;
  }

  /** Newer ones than the executor has, in Hadoop's format of a token file; null for none. */
  public byte[] tokens() {
    return tokens;
  }
}
