package io.tony.client.input;

import static org.junit.Assert.assertEquals;

import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.Test;

public class KnownFileSystemsTest {
  private final Configuration conf = new Configuration(false);

  private void assertHeld(boolean expected, List<String> added, String... uris) {
    KnownFileSystems known = new KnownFileSystems(conf, added);
    for (String uri : uris) {
      assertEquals(uri, expected, known.contains(URI.create(uri)));
    }
  }

  @Test
  public void shouldHoldTheDefaultFileSystemHoweverItIsNamed() {
    conf.set("fs.defaultFS", "hdfs://NameNode:8020");

    assertHeld(
        true,
        List.of(),
        "/x",
        "x",
        "hdfs:/x",
        "hdfs:///x",
        "hdfs://namenode/x",
        "HDFS://namenode:8020");
    assertHeld(
        false,
        List.of(),
        "hdfs://namenode:9000/x",
        "hdfs://other/x",
        "hdfs://alice@namenode:8020/x",
        "webhdfs://namenode:8020/x",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "har://hdfs-namenode:8020/x.har/y",
        "viewfs:///x",
        "http://namenode:8020/x",
        "s3a://bucket/x");
  }

  @Test
  public void shouldHoldTheNameServicesAndTheirNameNodes() {
    conf.set("fs.defaultFS", "hdfs://a");
    conf.set("dfs.nameservices", "a, b");
    conf.set("dfs.namenode.rpc-address.b.nn1", " nn1.b:8020\n");
    conf.set("dfs.namenode.rpc-address.b.nn2", "nn2.b:9820");

    assertHeld(true, List.of(), "hdfs://a/x", "hdfs://b/x", "hdfs://nn1.b/x", "hdfs://nn2.b:9820");
    assertHeld(false, List.of(), "hdfs://c/x", "hdfs://nn2.b/x");
  }

  @Test
  public void shouldHoldADefaultFileSystemWithoutAHost() {
    conf.set("fs.defaultFS", "viewfs:///");

    assertHeld(true, List.of(), "/x", "viewfs:///x", "viewfs:/x");
    assertHeld(false, List.of(), "viewfs://other/x", "hdfs:///x");
  }

  @Test
  public void shouldHoldAStoreWithTlsAndWithout() {
    conf.set("fs.defaultFS", "abfs://data@account.dfs.core.windows.net");

    assertHeld(true, List.of(), "abfss://data@account.dfs.core.windows.net/x");
    assertHeld(false, List.of(), "abfss://other@account.dfs.core.windows.net/x");
  }

  @Test
  public void shouldHoldWhatTheAdministratorAdds() {
    conf.set("fs.defaultFS", "hdfs://a");
    List<String> added = List.of("hdfs://other:9000", "s3a://models", "gs://*");

    assertHeld(true, added, "hdfs://other:9000/x", "s3a://models/x", "gs://any/x");
    assertHeld(false, added, "hdfs://other/x", "s3a://secrets/x", "gcs://any/x");
  }

  /** Where no cluster is configured, files are the client's machine's own. */
  @Test
  public void shouldNotTakeThisMachineForACluster() {
    assertHeld(false, List.of("s3a://models"), "/etc/passwd", "file:///etc/passwd", "file:/etc");
    assertHeld(true, List.of("s3a://models"), "s3a://models/x");
  }
}
