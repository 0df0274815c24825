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
 * The Hadoop user that a job acts as: Azkaban's own user or, if the administrator enables it, the
 * user that the step names. The decision depends on {@code private.properties}, under the names of
 * Azkaban's own Hadoop job types; a job cannot read or override them. Azkaban itself checks, before
 * it runs the step, which users a project may name ({@code proxy.user.lock.down}).
 */
final class RunAs {

  private static final String SHOULD_PROXY = "azkaban.should.proxy.user";

  /**
   * Alias of {@link #SHOULD_PROXY}: the name in the code of Azkaban's job types, whose
   * documentation once had the other name.
   */
  private static final String AZKABANS_SHOULD_PROXY = "azkaban.should.proxy";

  private static final String OBTAIN_TOKENS = "obtain.binary.token";

  /** How the client logs in: {@code keytab} or {@code tokens}. */
  private static final String LOGIN = "tony.client.login";

  /** Variable with the path of the tokens with which the client acts as the user. */
  static final String TOKENS = "TONY_RUN_AS_TOKENS";

  private static final String PRINCIPAL = "proxy.user";
  private static final String KEYTAB = "proxy.keytab.location";
  private static final String USER = "user.to.proxy";

  /**
   * A plain user name: Hadoop takes the part after a slash or an at sign for a host and a realm,
   * and maps the rest.
   */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*\\$?");

  /**
   * Users with superuser rights in most Hadoop clusters. A cluster's configuration and groups may
   * define more; the administrator adds those.
   */
  private static final Set<String> SUPERUSERS =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("root", "hdfs", "yarn", "mapred")));

  /**
   * Newer versions of Azkaban set {@link #USER} to this property's value if the job does not set
   * it.
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
   * Determines the user of a job.
   *
   * @param system the plugin's private properties
   * @param job the job's properties
   * @param refused additional users that no step may act as, from the administrator's settings
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
   * Decides between a keytab and tokens. A keytab on this machine is preferred: with it, the client
   * can always request new tokens. Tokens from Azkaban's security manager are used if there is no
   * keytab, if a job requests credentials that only the manager can fetch, or if the administrator
   * sets so.
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

  /** A line for the job's log; empty if the job runs as Azkaban's own user and names no other. */
  Optional<String> logLine() {
    return logLine;
  }

  /**
   * A warning for the job's log about credentials that the job requests and does not get; empty if
   * none.
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

  /** The user that the job runs as; meaningless if that is Azkaban's own user. */
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

  /** The variables that pass the user and the login to TonY's client. */
  Map<String, String> environment() {
    return environment;
  }
}
