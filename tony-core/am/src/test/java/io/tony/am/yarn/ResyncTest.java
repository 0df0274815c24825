package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Resource;
import org.junit.Test;

/**
 * Grants, rejections, changes of mind and restarts of the ResourceManager in any order: after a
 * restart it is asked for what is wanted, neither more nor less. A seed that fails is printed.
 */
public class ResyncTest {
  private static final int SEEDS = 300;
  private static final int STEPS = 60;

  /** One run. */
  private static final class Run {
    private final GrantingYarn yarn = new GrantingYarn();
    private final Random random;
    private final RoleContainerRequests asks;
    private final Set<String> avoided = new TreeSet<>();
    private RoleSpec role = role("1g");

    Run(long seed, boolean counted) throws Exception {
      random = new Random(seed);
      yarn.init(new Configuration());
      yarn.start();
      yarn.registerApplicationMaster("here", 1, "N/A");
      asks =
          counted
              ? new CountedRequests(role, GrantingYarn.PRIORITY, yarn)
              : new ConstrainedRequests(role, GrantingYarn.PRIORITY, Optional.empty(), yarn);
      yarn.onResync(asks::onResync);
    }

    void run() throws Exception {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(9)) {
          case 0, 1 -> asks.add(role, 1 + random.nextInt(4));
          case 2 -> asks.withdraw(random.nextInt(4));
          case 3 -> {
            role = role(random.nextBoolean() ? "1g" : "2g");
            asks.add(role, random.nextInt(3));
          }
          case 4, 5 -> grant();
          case 6 -> reject();
          case 7 -> avoid();
          default -> restart();
        }
        if (random.nextBoolean()) {
          call();
        }
      }
      restart();
      asks.withdraw(Integer.MAX_VALUE);
      call();
      assertEquals(0, yarn.open());
    }

    private void grant() {
      int count = 1 + random.nextInt(3);
      yarn.grant(count, size());
      yarn.numbers().stream().limit(count).forEach(yarn::grant);
    }

    private void reject() {
      List<Long> numbers = yarn.numbers();
      if (!numbers.isEmpty()) {
        yarn.reject(numbers.get(random.nextInt(numbers.size())));
      }
    }

    private void avoid() {
      String node = "node-" + random.nextInt(3);
      List<String> changed = new ArrayList<>(List.of(node));
      if (avoided.add(node)) {
        yarn.updateBlacklist(changed, new ArrayList<>());
      } else {
        avoided.remove(node);
        yarn.updateBlacklist(new ArrayList<>(), changed);
      }
    }

    private void restart() throws Exception {
      yarn.restart();
      call();
      assertEquals(asks.pendingCount(), yarn.open());
      assertEquals("of the size that is wanted", asks.pendingCount(), yarn.open(size()));
      assertEquals(avoided, yarn.blacklist());
    }

    private Resource size() {
      return Resource.newInstance(
          asks.role().resource().memoryMiB(), asks.role().resource().vcores());
    }

    private void call() throws Exception {
      AllocateResponse response = yarn.allocate(0);
      response.getAllocatedContainers().forEach(asks::onAllocated);
      response.getRejectedSchedulingRequests().forEach(asks::onRejected);
    }
  }

  private static RoleSpec role(String memory) {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    "tony.worker.instances", "9",
                    "tony.worker.memory", memory,
                    "tony.application.executes", "true"))
            .build();
    return JobSpecReader.read(config, new Problems()).orElseThrow().role("worker");
  }

  private static void shouldAskForWhatIsWanted(boolean counted) throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new Run(seed, counted).run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  public void shouldAskForWhatIsWantedByNumber() throws Exception {
    shouldAskForWhatIsWanted(true);
  }

  @Test
  public void shouldAskForWhatIsWantedUnderConstraints() throws Exception {
    shouldAskForWhatIsWanted(false);
  }
}
