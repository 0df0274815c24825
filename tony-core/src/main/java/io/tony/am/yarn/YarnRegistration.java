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
public final class YarnRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(YarnRegistration.class);

  private final SchedulerClient client;
  private final RegisterApplicationMasterResponse response;
  private JobContainerRequests
      earlyRequests; // null where nothing is asked for before the job has decided to
  private AllocateResponse firstResponse; // null before YARN was asked for anything

  private YarnRegistration(SchedulerClient client, RegisterApplicationMasterResponse response) {
    this.client = client;
    this.response = response;
  }

  /**
   * Registers. YARN's link to the application leads to YARN's own page.
   *
   * @param host where clients find the ApplicationMaster
   * @param port 0 where they do not
   */
  public static YarnRegistration of(Configuration conf, String host, int port)
      throws IOException, YarnException {
    return of(new SchedulerClient(), conf, host, port);
  }

  /** {@code client} is not yet started. */
  static YarnRegistration of(SchedulerClient client, Configuration conf, String host, int port)
      throws IOException, YarnException {
    client.init(conf);
    client.start();
    return new YarnRegistration(
        client, client.registerApplicationMaster(host, port, TrackingPage.NONE));
  }

  /**
   * Asks for containers before the job has decided to. Should this ApplicationMaster be lost before
   * that is recorded, YARN forgets what it asked for. {@link YarnContainers} tells of a refusal, or
   * of an answer that does not come: it asks for the same again.
   *
   * @param wanted what the job's first decision will ask for
   */
  public void requestEarly(JobSpec job, TonyConfig config, Map<RoleSpec, Integer> wanted) {
    earlyRequests = requests(job, config);
    try {
      earlyRequests.addEarly(wanted);
      firstResponse = client.allocate(0);
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("YARN is asked for the first containers once more: {}", SchedulerErrors.sentence(e));
      firstResponse = AllocateResponse.newBuilder().build();
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
  AllocateResponse firstResponse() throws IOException, YarnException {
    if (firstResponse == null) {
      firstResponse = client.allocate(0);
    }
    return firstResponse;
  }

  /** What was asked for so far, to which more can be added. */
  JobContainerRequests requests(JobSpec job, TonyConfig config) {
    if (earlyRequests != null) {
      return earlyRequests;
    }
    YarnResources.learn(response.getResourceTypes());
    JobContainerRequests requests =
        new JobContainerRequests(job, MasterRequest.applicationLabel(config), client);
    client.onResync(requests::onResync);
    return requests;
  }
}
