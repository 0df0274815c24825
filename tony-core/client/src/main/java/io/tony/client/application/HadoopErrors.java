package io.tony.client.application;

import io.tony.client.output.PlainText;
import io.tony.config.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Explains Hadoop's exceptions to users, with remedies, which Hadoop's own messages do not contain.
 */
public final class HadoopErrors {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopErrors.class);

  private static final Pattern IMPERSONATION =
      Pattern.compile("User: (\\S+).* is not allowed to impersonate ([^\\s,]+)");

  private static final Pattern ACCESS =
      Pattern.compile("User (\\S+) cannot perform operation (VIEW|MODIFY)_APP on (\\S+)");

  private static final Pattern NO_CREDENTIALS =
      Pattern.compile(
          "(?:no token of (\\S+): .*)?(?:Client cannot authenticate via|GSS initiate failed"
              + "|No valid credentials provided|SIMPLE authentication is not enabled)",
          Pattern.DOTALL);

  private static final Pattern NO_NAME =
      Pattern.compile("could not determine effective user|invalid null input: name");

  private HadoopErrors() {}

  /**
   * Returns a sentence that explains the failure and its remedy; empty if the failure is not of a
   * known kind.
   */
  public static Optional<String> of(Throwable trouble) {
    for (Throwable cause = trouble; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      Matcher impersonation = IMPERSONATION.matcher(message);
      if (impersonation.find()) {
        return Optional.of(impersonation(impersonation.group(1), impersonation.group(2)));
      }
      Matcher access = ACCESS.matcher(message);
      if (access.find()) {
        return Optional.of(access(access.group(1), access.group(2), access.group(3)));
      }
      if (message.startsWith("Permission denied: user=")) {
        return Optional.of(
            "HDFS says: "
                + message.lines().findFirst().orElseThrow()
                + "; the owner whom it names, or HDFS's administrator, can permit it");
      }
      if (message.contains("Failed to renew token")) {
        return Optional.of(
            "YARN cannot renew a token that this client was given: its renewer must be the"
                + " principal of yarn.resourcemanager.principal. YARN says: "
                + Secrets.maskText(message.strip().replaceAll("\\s+", " ")));
      }
      if (NO_NAME.matcher(message).find()) {
        return Optional.of(noName());
      }
      Matcher credentials = NO_CREDENTIALS.matcher(message);
      if (credentials.find()) {
        return Optional.of(credentials(credentials.group(1)));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns one sentence that describes the failure, with the remedy if it is known. Contains no
   * stack trace; secrets are masked.
   */
  public static String sentence(Throwable trouble) {
    return of(trouble).orElseGet(() -> Secrets.maskText(PlainText.inOneLine(causeText(trouble))));
  }

  /**
   * Returns the first line of the exception's message, and of its root cause's message if that adds
   * information. Later lines are omitted, because they may contain a server's stack trace.
   */
  private static String causeText(Throwable trouble) {
    String first = firstLine(trouble);
    Throwable root = trouble;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String last = firstLine(root);
    return first.contains(last) ? first : first + ", because of " + last;
  }

  private static String firstLine(Throwable trouble) {
    return trouble.toString().lines().findFirst().orElse("").strip();
  }

  /**
   * Returns a sentence about missing credentials and the remedy.
   *
   * @param place the service for which there is no token; null for the cluster in general
   */
  private static String credentials(@Nullable String place) {
    String own =
        place == null
            ? "the cluster wants Kerberos, and this client has no ticket and no tokens that hold:"
                + " log in with kinit"
            : Secrets.maskText(place)
                + " wants Kerberos, and this client has no ticket and no token of it that holds:"
                + " log in with kinit, or let the file of HADOOP_TOKEN_FILE_LOCATION have one";
    return own
        + "; in Azkaban, have the administrator set proxy.user and proxy.keytab.location in the job"
        + " type's private.properties, or renew the ticket of Azkaban's own user";
  }

  /**
   * Returns a sentence for the failure that this process's user has no name in the operating
   * system, which Hadoop requires.
   */
  private static String noName() {
    String uid = "";
    try {
      uid = " " + Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | RuntimeException e) {
      LOG.debug("The uid of this process is not known", e);
    }
    return "the uid"
        + uid
        + " of this process has no entry in /etc/passwd, and Hadoop takes the user's name from"
        + " there: add the entry, or in a container have its image or its start add one"
        + " (docs/containers.md)";
  }

  private static String access(String user, String operation, String application) {
    boolean view = operation.equals("VIEW");
    return user
        + " may not "
        + (view ? "look at " : "end ")
        + application
        + ", which is another user's: its owner can name "
        + user
        + " in "
        + (view ? "tony.application.view-acls" : "tony.application.modify-acls")
        + " of the job";
  }

  private static String impersonation(String superuser, String user) {
    String name = superuser.replaceFirst("[/@].*", "");
    return "the cluster does not let "
        + superuser
        + " act for "
        + user
        + ": have its administrator allow it in the core-site.xml of NameNode and ResourceManager"
        + " (hadoop.proxyuser."
        + name
        + ".hosts, and hadoop.proxyuser."
        + name
        + ".users or .groups), or name another user in user.to.proxy";
  }
}
