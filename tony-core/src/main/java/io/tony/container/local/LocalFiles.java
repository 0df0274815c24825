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
  private final LocalClusterFolders folders;
  private final Path fetchFolder;
  private final Map<LocalResource, Path> localPaths = new HashMap<>();

  /** {@code fetched} is a folder for what cannot be linked to where it lies. */
  LocalFiles(Configuration conf, LocalClusterFolders folders, Path fetchFolder) {
    this.folders = folders;
    this.conf = conf;
    this.fetchFolder = fetchFolder;
  }

  void link(Map<String, LocalResource> files, Path folder)
      throws IOException, InterruptedException {
    for (Map.Entry<String, LocalResource> file : files.entrySet()) {
      Files.createSymbolicLink(folder.resolve(file.getKey()), localPath(file.getValue()));
    }
  }

  private Path localPath(LocalResource file) throws IOException, InterruptedException {
    Path localPath = localPaths.get(file);
    if (localPath == null) {
      localPath = fetch(file);
      localPaths.put(file, localPath);
    }
    return localPath;
  }

  /**
   * What was shipped is for all tasks, and perhaps for later jobs: no program is to write into it.
   * What lies elsewhere is the user's own.
   */
  private Path makeReadOnly(Path path) throws IOException {
    if (!path.startsWith(folders.staging()) && !path.startsWith(folders.cache())) {
      return path;
    }
    if (!System.getProperty("user.name").equals("root")) {
      return Files.setPosixFilePermissions(path, READ_ONLY);
    }
    // For whom no file is read-only.
    Path folder =
        LocalClusterFolders.create(fetchFolder.resolve(Integer.toString(localPaths.size())));
    return Files.copy(path, folder.resolve(path.getFileName()));
  }

  private Path fetch(LocalResource file) throws IOException, InterruptedException {
    String scheme = file.getResource().getScheme();
    if (file.getType() == LocalResourceType.FILE && "file".equals(scheme)) {
      return makeReadOnly(Path.of(file.getResource().getFile()));
    }
    Path target =
        LocalClusterFolders.create(fetchFolder.resolve(Integer.toString(localPaths.size())));
    try {
      org.apache.hadoop.fs.Path downloaded =
          new FSDownload(
                  FileContext.getLocalFSFileContext(conf),
                  UserGroupInformation.getCurrentUser(),
                  conf,
                  new org.apache.hadoop.fs.Path(target.toString()),
                  file)
              .call();
      return Path.of(downloaded.toUri().getPath());
    } catch (IOException | InterruptedException e) {
      throw e;
    } catch (Exception e) { // the type that a Callable declares
      throw new IOException(file.getResource().getFile() + " cannot be had: " + e.getMessage(), e);
    }
  }
}
