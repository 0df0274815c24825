package io.tony.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class HadoopClasspathTest {

  @Test
  public void shouldKeepHadoopAndItsDependenciesInOrder() {
    String hadoop =
        "/m2/hadoop-yarn-api-3.4.2.jar:/m2/hadoop-shaded-protobuf_3_25-1.4.0.jar:/m2/javax.inject-1.jar"
            + ":/m2/netty-transport-native-epoll-4.1.118.Final-linux-x86_64.jar";

    assertEquals(hadoop, HadoopClasspath.outOf(hadoop));
  }

  @Test
  public void shouldLeaveOutAllThatIsNotHadoops() {
    assertEquals(
        "/m2/hadoop-common-3.4.2.jar",
        HadoopClasspath.outOf(
            "/src/tony-core/target/classes:/src/tony-core/target/test-classes:/m2/tony-core-0.2.0-SNAPSHOT.jar"
                + ":/m2/tony-mini-0.2.0-SNAPSHOT.jar:/m2/hadoop-common-3.4.2.jar:/m2/hadoop-common-3.4.2-tests.jar"
                + ":/m2/junit-4.13.2.jar:/m2/hamcrest-core-1.3.jar:/m2/mockito-core-4.11.0.jar:/m2/byte-buddy-1.12.19.jar"
                + ":/m2/surefire-booter-3.5.3.jar:/m2/azkaban-2.5.0.jar:/m2/az-core-3.58.0.jar:/m2/log4j-1.2.17.jar"));
  }

  @Test
  public void shouldSayWhyThereIsNoHadoopInAClassPathOfOneManifest() {
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class, () -> HadoopClasspath.outOf("/tmp/surefirebooter.jar"));

    assertTrue(refused.getMessage(), refused.getMessage().contains("useManifestOnlyJar=false"));
  }
}
