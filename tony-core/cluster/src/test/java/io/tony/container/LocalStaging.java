package io.tony.container;

import java.io.File;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** The staging folder of an application on this machine. */
public final class LocalStaging {
  public static final String APPLICATION = "application_1_0001";

  private LocalStaging() {}

  /** Creates it. {@code location} is that of the staging folders of all applications. */
  public static Staging create(File location) throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration());
    Staging staging = new Staging(local, location.toString(), APPLICATION);
    staging.create();
    return staging;
  }
}
