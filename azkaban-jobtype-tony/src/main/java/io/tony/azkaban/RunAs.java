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
 * As whom a job acts in Hadoop: as Azkaban's own user or, where the administrator wants it, as the
 * user whom the step names. What decides it stands in {@code private.properties}, under the names
 * of Azkaban's own Hadoop job types; no job can read or override that. Whom a project may name is
 * Azkaban's to check, before it runs the step ({@code proxy.user.lock.down}).
 */
final class RunAs {

  private static final String SHOULD_PROXY = "azkaban.should.proxy.user";

  /** The name in the code of Azkaban's own job types; its documents once had the name above. */
  private static final String AZKABANS_SHOULD_PROXY = "azkaban.should.proxy";

  private static final String OBTAIN_TOKENS = "obtain.binary.token";

  /** How the client logs in: {@code keytab} or {@code tokens}. */
  private static final String LOGIN = "tony.client.login";

  /** Tells the client where the tokens are with which it acts as the user. */
  static final String TOKENS = "TONY_RUN_AS_TOKENS";

  private static final String PRINCIPAL = "proxy.user";
  private static final String KEYTAB = "proxy.keytab.location";
  private static final String USER = "user.to.proxy";

  /** Hadoop takes what follows a slash or an at sign for a host and a realm, and maps the rest. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*\\$?");

  /**
   * Those who may do anything in most Hadoop clusters. Who may in this one stands in its
   * configuration and groups: the administrator adds them.
   */
  private static final Set<String> SUPERUSERS =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("root", "hdfs", "yarn", "mapred")));

  /** Newer Azkabans set {@link #USER} to this one's value where the job leaves it out. */
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
   * Reads who the job runs as.
   *
   * @param system the plugin's private properties
   * @param job the job's
   * @param refused other users as whom no step may act, by the administrator's setting
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
   * A keytab on this machine is better: with it, the client can always ask for new tokens. So
   * Azkaban's security manager takes them where there is none, where a job asks for what only the
   * manager can take, and where the administrator wants it.
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
          "The job names nobody to run as: set "
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

  /** For the job's log, where the user is not Azkaban's own or somebody expected another one. */
  Optional<String> logLine() {
    return logLine;
  }

  /** What the job asks for and does not get; for the job's log. */
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

  /** As whom the job runs, if it is not Azkaban's own user. */
  String user() {
    return user;
  }

  /** Whether the client acts with tokens that Azkaban's security manager takes for the user. */
  boolean usesTokens() {
    return tokens;
  }

  /** What TonY's client is told of it. */
  Map<String, String> environment() {
    return environment;
  }
}
