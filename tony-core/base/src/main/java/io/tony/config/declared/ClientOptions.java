package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import java.time.Duration;
import java.util.List;

/** Options of the client, and of the folders for the client's and the ApplicationMaster's files. */
public final class ClientOptions {
  public static final ConfigOption<String> STAGING_LOCATION =
      ConfigOption.key("tony.staging.location")
          .name()
          .defaultTo(".tony/staging")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Folder for the files of jobs that are running; below the user's home on the default"
                  + " file system unless it is absolute.");

  public static final ConfigOption<String> CACHE_LOCATION =
      ConfigOption.key("tony.cache.location")
          .name()
          .defaultTo(".tony/cache")
          .setBy(SetBy.PLATFORM)
          .doc(
              "The user's own folder for copies of large files that jobs have shipped, which later"
                  + " jobs take; below the user's home on the default file system unless it is"
                  + " absolute.");

  public static final ConfigOption<Duration> CACHE_KEEP =
      ConfigOption.key("tony.cache.keep")
          .duration("d", "to keep none")
          .defaultTo("30d")
          .setBy(SetBy.PLATFORM)
          .doc(
              "How long a copy stays that no job takes; the user's next job then deletes it. 0:"
                  + " every job uploads all its files, and leaves none.");

  public static final ConfigOption<String> JAR =
      ConfigOption.key("tony.application.jar")
          .name()
          .setBy(SetBy.TONY)
          .doc("This program's jar on the cluster. The client sets it for the ApplicationMaster.");

  public static final ConfigOption<String> HISTORY_LOCATION =
      ConfigOption.key("tony.history.location")
          .name()
          .defaultTo(".tony/history")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Folder for the event logs of jobs; below the user's home on the default file system"
                  + " unless it is absolute. `${user}` stands for the job's user.");

  public static final ConfigOption<String> HISTORY_URL =
      ConfigOption.key("tony.history.url")
          .name()
          .whenUnset("YARN's own page")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Where the history is served (`tony history`), such as `http://history:18090`. YARN's"
                  + " link to an application that has ended leads to its page there, unless the"
                  + " application was killed.");

  public static final ConfigOption<Duration> HISTORY_RETENTION =
      ConfigOption.key("tony.history.retention")
          .duration("d", "to keep all")
          .defaultTo("0")
          .setBy(SetBy.PLATFORM)
          .doc(
              "How long the event log of a job is kept after its end, an hour at least, and a week"
                  + " where YARN has forgotten the job. The user's next job deletes older ones, a"
                  + " hundred at most.");

  public static final ConfigOption<Duration> HISTORY_SERVICE_RETENTION =
      ConfigOption.key("tony.history.service-retention")
          .duration("d", "to keep all")
          .defaultTo("0")
          .setBy(SetBy.PLATFORM)
          .doc(
              "The same for the service (`tony history -retention`): it deletes older event logs of"
                  + " all users, as far as it may, a hundred at each look. No job reads it.");

  public static final ConfigOption<String> HISTORY_INTERMEDIATE =
      ConfigOption.key("tony.history.intermediate")
          .name()
          .withoutEffect("running and finished jobs are both below tony.history.location")
          .doc("Folder of LinkedIn TonY's history of running jobs.");

  public static final ConfigOption<String> HISTORY_FINISHED =
      ConfigOption.key("tony.history.finished")
          .name()
          .withoutEffect("running and finished jobs are both below tony.history.location")
          .doc("Folder of LinkedIn TonY's history of finished jobs.");

  public static final ConfigOption<List<String>> OTHER_NAMENODES =
      ConfigOption.key("tony.other.namenodes")
          .list()
          .defaultTo("")
          .inJob("other_namenodes")
          .doc("Further file systems that the job needs delegation tokens for.");

  public static final ConfigOption<String> KEYTAB_USER =
      ConfigOption.key("tony.keytab.user")
          .name()
          .secret()
          .doc(
              "The Kerberos principal that the client logs in as, with `tony.keytab.location`,"
                  + " instead of with a ticket. In Azkaban the administrator's `proxy.user` and"
                  + " `proxy.keytab.location` hold, and these have no effect.");

  public static final ConfigOption<String> KEYTAB_LOCATION =
      ConfigOption.key("tony.keytab.location")
          .name()
          .secret()
          .doc("The keytab of `tony.keytab.user`, a file of the client's machine.");

  public static final ConfigOption<Boolean> SECURITY_ENABLED =
      ConfigOption.key("tony.application.security.enabled")
          .bool()
          .defaultTo("true")
          .withoutEffect("the job's own connections are always authenticated")
          .doc("Whether the connections inside the job are authenticated.");

  public static final ConfigOption<Integer> RM_CONNECT_RETRIES =
      ConfigOption.key("tony.application.num-client-rm-connect-retries")
          .integer(0)
          .defaultTo("3")
          .withoutEffect("yarn.resourcemanager.connect.max-wait.ms of Hadoop's own files rules it")
          .doc("How often the client tries again to reach the ResourceManager.");

  public static final ConfigOption<String> HDFS_CONF_PATH =
      ConfigOption.key("tony.application.hdfs-conf-path")
          .name()
          .setBy(SetBy.PLATFORM)
          .doc("An `hdfs-site.xml` for the client. In Azkaban, a job cannot set it.");

  public static final ConfigOption<String> YARN_CONF_PATH =
      ConfigOption.key("tony.application.yarn-conf-path")
          .name()
          .setBy(SetBy.PLATFORM)
          .doc("A `yarn-site.xml` for the client. In Azkaban, a job cannot set it.");

  public static final ConfigOption<String> MAPRED_CONF_PATH =
      ConfigOption.key("tony.application.mapred-conf-path")
          .name()
          .withoutEffect("Hadoop's configuration is the one on the client's class path")
          .doc("A `mapred-site.xml` for the client.");

  public static final ConfigOption<String> HADOOP_LOCATION =
      ConfigOption.key("tony.application.hadoop.location")
          .string()
          .unsupported("containers use the Hadoop of their node, by yarn.application.classpath")
          .doc("Archive with the Hadoop that the containers use.");

  public static final ConfigOption<String> HADOOP_CLASSPATH =
      ConfigOption.key("tony.application.hadoop.classpath")
          .string()
          .unsupported("containers use the Hadoop of their node, by yarn.application.classpath")
          .doc("Class path of Hadoop in the containers.");

  private ClientOptions() {}
}
