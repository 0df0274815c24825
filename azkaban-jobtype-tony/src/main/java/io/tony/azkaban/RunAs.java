package io.tony.azkaban;

import azkaban.utils.Props;
import java.io.File;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The Hadoop user as whom a job runs: Azkaban's own user or, if the administrator enables it, the
 * user that the step names. The administrator's settings for it are in {@code private.properties},
 * which a job cannot read or override, and have the names that Azkaban's own Hadoop job types use.
 * Before the step, Azkaban itself checks which users the project may name ({@code
 * proxy.user.lock.down}).
 */
final class RunAs {

  private static final String SHOULD_PROXY = "azkaban.should.proxy.user";

  /**
   * Another name of the property {@link #SHOULD_PROXY}, used if that property is not set. Azkaban's
   * own job types read this name, whereas an earlier documentation of them has the other one.
   */
  private static final String AZKABANS_SHOULD_PROXY = "azkaban.should.proxy";

  private static final String OBTAIN_TOKENS = "obtain.binary.token";

  /** Property with the way in which the client logs in: {@code keytab} or {@code tokens}. */
  private static final String LOGIN = "tony.client.login";

  /**
   * Environment variable of the client: the path of the file of tokens with which it acts as the
   * user.
   */
  static final String TOKENS = "TONY_RUN_AS_TOKENS";

  private static final String PRINCIPAL = "proxy.user";
  private static final String KEYTAB = "proxy.keytab.location";
  private static final String USER = "user.to.proxy";

  /**
   * Matches a plain user name. In other names, Hadoop would take the parts after a slash or an at
   * sign for a host and a realm, and map the name to another one.
   */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*\\$?");

  /**
   * Users with superuser rights in most Hadoop clusters. If a cluster's configuration or groups
   * define other superusers, the administrator lists these in {@link SiteProperties#REFUSED_USERS}.
   */
  private static final Set<String> SUPERUSERS =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("root", "hdfs", "yarn", "mapred")));

  /**
   * Property with the user who started the flow. If a job does not set {@link #USER}, newer
   * versions of Azkaban set it to this property's value.
   */
  private static final String SUBMITTER = "azkaban.flow.submituser";

  private final Optional<String> logLine;
  private final String user;
  private final boolean tokens;
  private final Set<String> missing;
  private final Map<String, String> environment;

  private RunAs(
      Optional<String> logLine,
      String user,
      boolean tokens,
      Set<String> missing,
      Map<String, String> environment) {
    this.logLine = logLine;
    this.user = user;
    this.tokens = tokens;
    this.missing = missing;
    this.environment = Collections.unmodifiableMap(environment);
  }

  /**
   * Determines the user as whom a job runs.
   *
   * @param system the plugin's private properties
   * @param job the job's properties
   * @param refused additional users as whom no job may run, from the administrator's settings
   * @throws JobFailedException if the job names no user or a refused one, or if the settings are
   *     invalid
   */
  static RunAs of(Props system, Props job, Collection<String> refused) throws JobFailedException {
    String user = job.getString(USER, "");
    Set<String> extras = TokenRequest.extrasOf(job);
    if (!system.getBoolean(SHOULD_PROXY, system.getBoolean(AZKABANS_SHOULD_PROXY, false))) {
      boolean isRequested = !user.isEmpty() && !user.equals(job.get(SUBMITTER));
      Optional<String> unused =
          isRequested
              ? Optional.of(
                  USER
                      + "="
                      + user
                      + " has no effect: the job type's private.properties does not have "
                      + SHOULD_PROXY
                      + "=true.")
              : Optional.empty();
      return new RunAs(unused, user, false, extras, new TreeMap<>());
    }
    String principal = system.getString(PRINCIPAL, "").trim();
    check(user, principal, refused);
    Map<String, String> environment = new TreeMap<>();
    environment.put("TONY_RUN_AS", user);
    String keytab = system.getString(KEYTAB, "").trim();
    Optional<String> logLine = Optional.of("The job runs as " + user + " (" + USER + ").");
    if (usesTokens(system, keytab, extras)) {
      return new RunAs(logLine, user, true, Collections.emptySet(), environment);
    }
    if (principal.isEmpty() != keytab.isEmpty()) {
      throw new JobFailedException(
          "The job type's private.properties has one of "
              + PRINCIPAL
              + " and "
              + KEYTAB
              + ": set both, or neither to use the ticket of Azkaban's own user.");
    }
    if (!keytab.isEmpty()) {
      environment.put("TONY_RUN_AS_PRINCIPAL", principal);
      environment.put("TONY_RUN_AS_KEYTAB", keytab);
    }
    return new RunAs(logLine, user, false, extras, environment);
  }

  /**
   * Returns true if the client acts with tokens from Azkaban's security manager, false if it logs
   * in itself. If the administrator does not decide it with {@link #LOGIN}, tokens are used only if
   * the administrator permits them ({@link #OBTAIN_TOKENS}), and the keytab does not exist on this
   * machine or the job requests credentials that only the manager can fetch. Otherwise a keytab is
   * better, because with it the client can always request new tokens.
   */
  private static boolean usesTokens(Props system, String keytab, Set<String> extras)
      throws JobFailedException {
    String login = system.getString(LOGIN, "").trim();
    switch (login) {
      case "tokens":
        return true;
      case "keytab":
        return false;
      case "":
        return system.getBoolean(OBTAIN_TOKENS, false)
            && (!extras.isEmpty() || keytab.isEmpty() || !new File(keytab).isFile());
      default:
        throw new JobFailedException(
            LOGIN
                + " in the job type's private.properties is '"
                + login
                + "': set it to keytab or tokens, or remove it.");
    }
  }

  private static void check(String user, String principal, Collection<String> ofSite)
      throws JobFailedException {
    if (user.isEmpty()) {
      throw new JobFailedException(
          "The job names no user to run as: set "
              + USER
              + " to a user that the project allows (in Azkaban: Permissions, Proxy Users).");
    }
    Set<String> refused = new HashSet<>(SUPERUSERS);
    refused.addAll(ofSite);
    refused.add(System.getProperty("user.name"));
    refused.add(principal.split("[/@]", 2)[0]);
    if (!PLAIN.matcher(user).matches() || refused.contains(user)) {
      throw new JobFailedException(
          USER
              + " is '"
              + user
              + "': no job runs as Azkaban's own user, a superuser of the cluster or a user of "
              + SiteProperties.REFUSED_USERS
              + ", nor as what"
              + " is not a plain user name. Name a user that the project allows (in Azkaban:"
              + " Permissions, Proxy Users).");
    }
  }

  /**
   * Returns a line for the job's log about the user. Empty if the job runs as Azkaban's own user
   * and does not name another one.
   */
  Optional<String> logLine() {
    return logLine;
  }

  /**
   * Returns a warning for the job's log about credentials that the job requests and does not get;
   * empty if there are none.
   */
  Optional<String> missingWarning() {
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            missing
                + " are not obeyed: they ask for credentials that only Azkaban's"
                + " HadoopSecurityManager takes. The administrator lets TonY use it by "
                + SHOULD_PROXY
                + "=true and "
                + OBTAIN_TOKENS
                + "=true in the job type's private.properties.");
  }

  /**
   * Returns the user that the job names. To be called only if {@link #usesTokens}: the job may run
   * as Azkaban's own user although it names another one.
   */
  String user() {
    return user;
  }

  /**
   * Returns true if the client acts with tokens that Azkaban's security manager fetches for the
   * user.
   */
  boolean usesTokens() {
    return tokens;
  }

  /** Returns the environment variables that pass the user and the login to TonY's client. */
  Map<String, String> environment() {
    return environment;
  }
}
