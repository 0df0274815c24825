package io.tony.client.submit;

import io.tony.client.source.InvalidJobException;
import io.tony.config.TonyConfig;
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

/**
 * Finds the application that an earlier attempt of the same job in the same Azkaban execution left
 * alive, as when Azkaban's executor or the client was killed: by its tags.
 */
final class ExistingApplications {
  private static final EnumSet<YarnApplicationState> LIVE =
      EnumSet.of(
          YarnApplicationState.NEW,
          YarnApplicationState.NEW_SAVING,
          YarnApplicationState.SUBMITTED,
          YarnApplicationState.ACCEPTED,
          YarnApplicationState.RUNNING);

  private ExistingApplications() {}

  /** The newest live one; nothing for a job that is not Azkaban's. */
  static Optional<ApplicationId> find(YarnClient yarn, TonyConfig config)
      throws IOException, YarnException {
    Optional<String> identity = ApplicationRequest.identityTag(config);
    if (identity.isEmpty()) {
      return Optional.empty();
    }
    Set<String> wanted = Set.of(identity.get());
    GetApplicationsRequest request = GetApplicationsRequest.newInstance(LIVE);
    request.setApplicationTags(wanted);
    request.setUsers(Set.of(UserGroupInformation.getCurrentUser().getShortUserName()));
    return yarn.getApplications(request).stream()
        .map(ApplicationReport::getApplicationId)
        .max(Comparator.naturalOrder());
  }

  /** {@code what} says that it is alive. */
  static InvalidJobException inTheWay(String what, ApplicationId existing) {
    return new InvalidJobException(
        List.of(
            what
                + ": wait for its end, kill it (tony kill "
                + existing
                + "), or set tony.azkaban.on-existing to attach or kill"));
  }
}
