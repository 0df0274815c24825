package io.tony.client.submit;

import java.io.IOException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Finds the current user's applications in YARN. */
public final class ApplicationSearch {
  static final EnumSet<YarnApplicationState> LIVE =
      EnumSet.of(
          YarnApplicationState.NEW,
          YarnApplicationState.NEW_SAVING,
          YarnApplicationState.SUBMITTED,
          YarnApplicationState.ACCEPTED,
          YarnApplicationState.RUNNING);

  static final EnumSet<YarnApplicationState> ENDED = EnumSet.complementOf(LIVE);

  private ApplicationSearch() {}

  /**
   * Returns the current user's applications that have this tag and are in one of the given states,
   * the newest first.
   */
  static List<ApplicationReport> findByTag(
      YarnClient yarn, EnumSet<YarnApplicationState> states, String tag)
      throws IOException, YarnException {
    GetApplicationsRequest request = requestForThisUser(states);
    request.setApplicationTags(Set.of(tag));
    return yarn.getApplications(request).stream()
        .sorted(Comparator.comparing(ApplicationReport::getApplicationId).reversed())
        .toList();
  }

  /**
   * Returns an application of the current user that has this name and has not ended; empty if there
   * is none.
   */
  public static Optional<ApplicationId> findAlive(YarnClient yarn, String name)
      throws IOException, YarnException {
    return yarn.getApplications(requestForThisUser(LIVE)).stream()
        .filter(report -> report.getName().equals(name))
        .map(ApplicationReport::getApplicationId)
        .findFirst();
  }

  private static GetApplicationsRequest requestForThisUser(EnumSet<YarnApplicationState> states)
      throws IOException {
    GetApplicationsRequest request = GetApplicationsRequest.newInstance(states);
    request.setUsers(Set.of(UserGroupInformation.getCurrentUser().getShortUserName()));
    return request;
  }
}
