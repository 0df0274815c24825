package io.tony.am.yarn;

import io.tony.am.page.TrackingPage;
import io.tony.config.TonyConfig;
import io.tony.container.MasterRequest;
import io.tony.container.YarnResources;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** YARN knows of this ApplicationMaster by now, and perhaps of the first containers it wants. */
public final class Registration {
  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

  private final SchedulerClient client;
  private final RegisterApplicationMasterResponse response;
  private JobAsks early; // null where nothing is asked for before the job has decided to
  private AllocateResponse first; // null before YARN was asked for anything

  private Registration(SchedulerClient client, RegisterApplicationMasterResponse response) {
    this.client = client;
    this.response = response;
  }

  /**
   * Registers. YARN's link to the application leads to YARN's own page.
   *
   * @param host where clients find the ApplicationMaster
   * @param port 0 where they do not
   */
  public static Registration of(Configuration conf, String host, int port)
      throws IOException, YarnException {
    return of(new SchedulerClient(), conf, host, port);
  }

  /** {@code client} is not yet started. */
  static Registration of(SchedulerClient client, Configuration conf, String host, int port)
      throws IOException, YarnException {
    client.init(conf);
    client.start();
    return new Registration(
        client, client.registerApplicationMaster(host, port, TrackingPage.NONE));
  }

  /**
   * Asks for containers before the job has decided to. Should this ApplicationMaster be lost before
   * that is recorded, YARN forgets what it asked for. {@link YarnContainers} tells of a refusal, or
   * of an answer that does not come: it asks for the same again.
   *
   * @param wanted what the job's first decision will ask for
   */
  public void ask(JobSpec job, TonyConfig config, Map<RoleSpec, Integer> wanted) {
    early = asks(job, config);
    try {
      early.addEarly(wanted);
      first = client.allocate(0);
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("YARN is asked for the first containers once more: {}", SchedulerErrors.sentence(e));
      first = AllocateResponse.newBuilder().build();
    }
  }

  /** Where YARN has put the application, which need not be where it was asked to. */
  public String queue() {
    return response.getQueue();
  }

  SchedulerClient client() {
    return client;
  }

  RegisterApplicationMasterResponse response() {
    return response;
  }

  /** What YARN says to the first who asks: also what the predecessor was not told any more. */
  AllocateResponse first() throws IOException, YarnException {
    if (first == null) {
      first = client.allocate(0);
    }
    return first;
  }

  /** What was asked for so far, to which more can be added. */
  JobAsks asks(JobSpec job, TonyConfig config) {
    if (early != null) {
      return early;
    }
    YarnResources.learn(response.getResourceTypes());
    JobAsks asks = new JobAsks(job, MasterRequest.applicationLabel(config), client);
    client.onResync(asks::askAnew);
    return asks;
  }
}
