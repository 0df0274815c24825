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
 * Places files into the working directories of local containers, as links. Archives are unpacked
 * only once, and files of other file systems are downloaded only once, for all containers of the
 * application. Not thread-safe.
 */
final class LocalFiles {
  private static final Set<PosixFilePermission> READ_ONLY =
      PosixFilePermissions.fromString("r-x------");

  private final Configuration conf;
  private final LocalClusterFolders folders;
  private final Path fetchFolder;
  private final Map<LocalResource, Path> localPaths = new HashMap<>();

  /**
   * Creates an instance for one application.
   *
   * @param fetchFolder folder for unpacked and downloaded files
   */
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
   * Makes a file in the staging or cache folder read-only and returns its path, because other tasks
   * and later jobs use it, too. If this process runs as root, returns the path of a copy instead.
   * Files elsewhere are the user's own: their paths are returned unchanged.
   */
  private Path makeReadOnly(Path path) throws IOException {
    if (!path.startsWith(folders.staging()) && !path.startsWith(folders.cache())) {
      return path;
    }
    if (!System.getProperty("user.name").equals("root")) {
      return Files.setPosixFilePermissions(path, READ_ONLY);
    }
    // Root can write to read-only files, so a program could change a file that others use: copy it.
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
    } catch (Exception e) { // {@code FSDownload.call} declares Exception
      throw new IOException(file.getResource().getFile() + " cannot be had: " + e.getMessage(), e);
    }
  }
}
