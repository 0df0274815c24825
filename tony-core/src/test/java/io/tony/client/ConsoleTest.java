package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.JobLog;
import io.tony.client.login.Login;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class ConsoleTest {
  private static final CompletableFuture<Thread> MADE = new CompletableFuture<>();

  @Rule public final Timeout limit = Timeout.seconds(60);

  /** Tells who makes it. */
  public static final class Told extends RawLocalFileSystem {
    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
      MADE.complete(Thread.currentThread());
      super.initialize(uri, conf);
    }
  }

  @Test
  public void shouldMakeTheFileSystemBesideWhatElseIsDone() {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("fs.defaultFS", "told:///");
    conf.setClass("fs.told.impl", Told.class, RawLocalFileSystem.class);

    new Console(conf, Login.byTicket(), new JobLog(System.out)).prepareFileSystem();

    assertNotEquals(Thread.currentThread(), MADE.join());
  }

  @Test
  public void shouldKeepNothingWhereItIsToldTo() {
    assertEquals(Optional.empty(), Console.cache(Map.of("TONY_CACHE", "none")));
    assertEquals(
        Optional.of(Path.of("/var/cache/ada")),
        Console.cache(Map.of("TONY_CACHE", "/var/cache/ada")));
    assertTrue(Console.cache(Map.of()).orElseThrow().endsWith(".cache/tony"));
  }
}
