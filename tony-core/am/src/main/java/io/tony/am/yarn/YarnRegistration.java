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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registration of this ApplicationMaster with YARN, and its first requests for containers. */
public final class YarnRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(YarnRegistration.class);

  private final SchedulerClient client;
  private final RegisterApplicationMasterResponse response;
  private @Nullable JobContainerRequests earlyRequests; // null if nothing was requested early
  private @Nullable AllocateResponse firstResponse; // null before the first call

  private YarnRegistration(SchedulerClient client, RegisterApplicationMasterResponse response) {
    this.client = client;
    this.response = response;
  }

  /**
   * Registers this ApplicationMaster with YARN. YARN's link to the application leads to YARN's own
   * page at first.
   *
   * @param host name of the host to which clients connect
   * @param port port of the RPC server; 0 if this ApplicationMaster serves no clients
   */
  public static YarnRegistration register(Configuration conf, String host, int port)
      throws IOException, YarnException {
    return register(new SchedulerClient(), conf, host, port);
  }

  /**
   * Like {@link #register(Configuration, String, int)}, with this client, which must not be started
   * yet.
   */
  static YarnRegistration register(
      SchedulerClient client, Configuration conf, String host, int port)
      throws IOException, YarnException {
    client.init(conf);
    client.start();
    return new YarnRegistration(
        client, client.registerApplicationMaster(host, port, TrackingPage.NONE));
  }

  /**
   * Requests containers before the job's first decision is in the event log. If this
   * ApplicationMaster is lost before that, YARN drops the requests. Ignores errors: {@link
   * YarnContainers} repeats the requests and then reports the error.
   *
   * @param wanted number of containers of each role that the first decision will request
   */
  public void requestEarly(JobSpec job, TonyConfig config, Map<RoleSpec, Integer> wanted) {
    JobContainerRequests requests = requests(job, config);
    earlyRequests = requests;
    try {
      requests.addEarly(wanted);
      firstResponse = client.allocate(0);
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.info("YARN is asked for the first containers once more: {}", SchedulerErrors.sentence(e));
      firstResponse = AllocateResponse.newBuilder().build();
    }
  }

  /**
   * Returns the queue in which YARN has put the application, which may differ from the requested
   * one. Empty if YARN does not name it.
   */
  public String queue() {
    return response.getQueue() == null ? "" : response.getQueue();
  }

  SchedulerClient client() {
    return client;
  }

  RegisterApplicationMasterResponse response() {
    return response;
  }

  /**
   * Returns YARN's first answer; calls YARN if there is none yet. The answer includes reports that
   * an earlier ApplicationMaster has not received.
   */
  AllocateResponse firstResponse() throws IOException, YarnException {
    AllocateResponse response = firstResponse == null ? client.allocate(0) : firstResponse;
    firstResponse = response;
    return response;
  }

  /** Returns the job's container requests, including those made by {@link #requestEarly}. */
  JobContainerRequests requests(JobSpec job, TonyConfig config) {
    if (earlyRequests != null) {
      return earlyRequests;
    }
    YarnResources.registerTypes(response.getResourceTypes());
    JobContainerRequests requests =
        new JobContainerRequests(job, MasterRequest.applicationLabel(config), client);
    client.onResync(requests::onResync);
    return requests;
  }
}
