package io.tony.am.yarn;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** YARN knows of this ApplicationMaster by now. */
public final class Registration {
  private final AMRMClient<ContainerRequest> client;
  private final RegisterApplicationMasterResponse response;

  private Registration(
      AMRMClient<ContainerRequest> client, RegisterApplicationMasterResponse response) {
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
  static Registration of(
      AMRMClient<ContainerRequest> client, Configuration conf, String host, int port)
      throws IOException, YarnException {
    client.init(conf);
    client.start();
    return new Registration(
        client, client.registerApplicationMaster(host, port, TrackingPage.NONE));
  }

  /** Where YARN has put the application, which need not be where it was asked to. */
  public String queue() {
    return response.getQueue();
  }

  AMRMClient<ContainerRequest> client() {
    return client;
  }

  RegisterApplicationMasterResponse response() {
    return response;
  }
}
