package io.tony.container.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.util.FSDownload;

/**
 * Puts the files of containers into their working directories, as YARN's nodes do: by links.
 * Archives are unpacked, and files of other file systems fetched, once for all containers. Used by
 * one thread.
 */
final class LocalFiles {
  private static final Set<PosixFilePermission> READ_ONLY =
      PosixFilePermissions.fromString("r-x------");

  private final Configuration conf;
  private final LocalFolders folders;
  private final Path fetched;
  private final Map<LocalResource, Path> places = new HashMap<>();

  /** {@code fetched} is a folder for what cannot be linked to where it lies. */
  LocalFiles(Configuration conf, LocalFolders folders, Path fetched) {
    this.folders = folders;
    this.conf = conf;
    this.fetched = fetched;
  }

  void link(Map<String, LocalResource> files, Path folder)
      throws IOException, InterruptedException {
    for (Map.Entry<String, LocalResource> file : files.entrySet()) {
      Files.createSymbolicLink(folder.resolve(file.getKey()), place(file.getValue()));
    }
  }

  private Path place(LocalResource file) throws IOException, InterruptedException {
    Path known = places.get(file);
    if (known == null) {
      known = find(file);
      places.put(file, known);
    }
    return known;
  }

  /**
   * What was shipped is for all tasks, and perhaps for later jobs: no program is to write into it.
   * What lies elsewhere is the user's own.
   */
  private Path readOnly(Path here) throws IOException {
    if (!here.startsWith(folders.staging()) && !here.startsWith(folders.cache())) {
      return here;
    }
    if (!System.getProperty("user.name").equals("root")) {
      return Files.setPosixFilePermissions(here, READ_ONLY);
    }
    // For whom no file is read-only.
    Path folder = LocalFolders.create(fetched.resolve(Integer.toString(places.size())));
    return Files.copy(here, folder.resolve(here.getFileName()));
  }

  private Path find(LocalResource file) throws IOException, InterruptedException {
    String scheme = file.getResource().getScheme();
    if (file.getType() == LocalResourceType.FILE && "file".equals(scheme)) {
      return readOnly(Path.of(file.getResource().getFile()));
    }
    Path target = LocalFolders.create(fetched.resolve(Integer.toString(places.size())));
    try {
      org.apache.hadoop.fs.Path found =
          new FSDownload(
                  FileContext.getLocalFSFileContext(conf),
                  UserGroupInformation.getCurrentUser(),
                  conf,
                  new org.apache.hadoop.fs.Path(target.toString()),
                  file)
              .call();
      return Path.of(found.toUri().getPath());
    } catch (IOException | InterruptedException e) {
      throw e;
    } catch (Exception e) { // the type that a Callable declares
      throw new IOException(file.getResource().getFile() + " cannot be had: " + e.getMessage(), e);
    }
  }
}
