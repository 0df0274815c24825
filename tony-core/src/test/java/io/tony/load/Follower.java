package io.tony.load;

import io.tony.eventlog.EventJson;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** A client that follows the job, from one ApplicationMaster to the next. */
final class Follower implements Runnable {
  private final JobKey key;
  private final Configuration conf = new Configuration();
  private final Tally lag = new Tally();
  private volatile InetSocketAddress master;
  private final AtomicLong lines = new AtomicLong();
  private final AtomicLong characters = new AtomicLong();
  private volatile boolean finished;
  private volatile boolean stopped;
  private int toldBy;

  Follower(JobKey key) {
    this.key = key;
  }

  void masterAt(InetSocketAddress address) {
    master = address;
  }

  long lines() {
    return lines.get();
  }

  boolean finished() {
    return finished;
  }

  void stop() {
    stopped = true;
  }

  /** How long after an event it was told of it. */
  String take() {
    return "{\"lines\":%d,\"bytes\":%d,\"lag\":%s}"
        .formatted(lines.get(), characters.get(), lag.take());
  }

  @Override
  public void run() {
    while (!finished && !stopped) {
      InetSocketAddress address = master;
      try {
        if (address != null) {
          follow(address);
        }
        Thread.sleep(200);
      } catch (IOException | ServiceException e) {
        // It is lost; there may be a successor by now.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void follow(InetSocketAddress address) throws IOException, ServiceException {
    ClientProtocol client =
        Connections.open(ClientProtocol.class, address, key.token(TonyToken.Audience.CLIENT), conf);
    try {
      while (!finished && !stopped && address.equals(master)) {
        WatchResponse told =
            client.watch(
                null,
                WatchRequest.newBuilder()
                    .setSeen(lines.get())
                    .setMasterAttempt(toldBy)
                    .setPatienceMs(1_000)
                    .build());
        Instant now = Instant.now();
        toldBy = told.getMasterAttempt();
        for (String line : told.getEventsList()) {
          characters.addAndGet(line.length());
          Duration late = Duration.between(EventJson.read(line).time(), now);
          lag.add("events", late.toNanos());
        }
        lines.addAndGet(told.getEventsCount());
        finished = told.getFinished();
      }
    } finally {
      Connections.close(client);
    }
  }
}
