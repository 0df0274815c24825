package io.tony.client.input;

import io.tony.client.input.ArchiveReader.Entry;
import io.tony.client.input.ArchiveReader.Format;
import io.tony.client.input.ArchiveReader.Kind;
import io.tony.process.ProgramHead;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an archive on this machine, read from its beginning; the last ones may be missing.
 */
final class ArchiveListing {
  /** Maximum number of entries that are read of one archive. */
  private static final int MAX_ENTRIES = 300_000;

  private static final int MAX_LINKS = 40;

  /** Maximum number of names shown in a message about a folder. */
  private static final int MAX_LISTED_NAMES = 8;

  /**
   * Result of looking up a path in the archive.
   *
   * @param entry the entry at the path; null if there is none, or if the path is a folder that has
   *     no entry of its own
   * @param head the file's first bytes; null if the entry is not an executable file
   * @param link path of a link at which the lookup ended, because it leads out of the archive or
   *     because there are too many links; otherwise empty
   * @param target target of {@code link}; empty if {@code link} is empty
   * @param firstLink path of the first symbolic link that the lookup followed; empty if there is
   *     none
   * @param missing the shortest beginning of the path that does not exist in the archive; empty if
   *     the path exists or a link leads out of the archive
   */
  record ResolvedPath(
      @Nullable Entry entry,
      @Nullable ProgramHead head,
      String link,
      String target,
      String firstLink,
      String missing) {
    /** Returns true if reading more entries of the archive could not change this result. */
    boolean isFinal() {
      return entry != null || !link.isEmpty();
    }
  }

  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, ProgramHead> heads = new HashMap<>();
  private final Map<String, SortedSet<String>> folders = new HashMap<>();
  private final List<String> outsideEntries = new ArrayList<>();
  private boolean complete = true;

  private ArchiveListing() {
    folders.put("", new TreeSet<>());
  }

  /**
   * Reads the entries of an archive from its beginning, until the archive ends, one of the limits
   * is reached or {@code enough} returns true.
   *
   * @param maxBytes maximum total unpacked size of the entries read
   * @param enough returns true if the entries read so far suffice
   */
  static ArchiveListing read(
      LocalFile file, Format format, long maxBytes, Predicate<ArchiveListing> enough)
      throws IOException {
    ArchiveListing listing = new ArchiveListing();
    long[] remaining = {maxBytes};
    ArchiveReader.read(
        file,
        format,
        (entry, content) -> {
          Optional<String> path = entry.path();
          if (path.isEmpty()) {
            listing.outsideEntries.add(entry.name());
          }
          path.filter(name -> !name.isEmpty()).ifPresent(name -> listing.add(entry, name));
          boolean program = path.isPresent() && entry.kind() == Kind.FILE && entry.executable();
          if (program) {
            listing.heads.put(path.get(), ProgramHead.read(content));
          }
          remaining[0] -= Math.max(0, entry.bytes());
          boolean limitReached = remaining[0] < 0 || listing.entries.size() >= MAX_ENTRIES;
          if (limitReached || ((program || !entry.target().isEmpty()) && enough.test(listing))) {
            listing.complete = false;
          }
          return listing.complete;
        });
    return listing;
  }

  private void add(Entry entry, String path) {
    entries.put(path, entry);
    String folder = "";
    for (String part : path.split("/", -1)) {
      folders.computeIfAbsent(folder, f -> new TreeSet<>()).add(part);
      folder = folder.isEmpty() ? part : folder + "/" + part;
    }
    if (entry.kind() == Kind.FOLDER) {
      folders.computeIfAbsent(path, f -> new TreeSet<>());
    }
  }

  /** Returns true if the listing contains all entries of the archive. */
  boolean isComplete() {
    return complete;
  }

  /**
   * Returns the names of entries that would be unpacked outside of the folder into which the
   * archive is unpacked.
   */
  List<String> outsideEntries() {
    return List.copyOf(outsideEntries);
  }

  /** Returns the paths of the entries of one kind, sorted. */
  List<String> ofKind(Kind kind) {
    return entries.entrySet().stream()
        .filter(entry -> entry.getValue().kind() == kind)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Returns the names of the entries in the archive's root folder. */
  SortedSet<String> top() {
    return Objects.requireNonNull(folders.get(""));
  }

  /**
   * Returns, for a message, the first names in a folder of the archive. An empty {@code folder} is
   * the archive's root.
   */
  String contents(String folder) {
    SortedSet<String> names = folders.getOrDefault(folder, new TreeSet<>());
    List<String> first = names.stream().limit(MAX_LISTED_NAMES).toList();
    int more = names.size() - first.size();
    return (first.isEmpty() ? "nothing" : String.join(", ", first))
        + (more > 0 ? " and " + more + " more" : "");
  }

  /**
   * Returns the path of an entry with the same last two names as {@code path}, which the user may
   * have meant; an empty text if there is none.
   */
  String similar(String path) {
    int slash = path.lastIndexOf('/', path.lastIndexOf('/') - 1);
    String end = slash < 0 ? path : path.substring(slash + 1);
    return entries.keySet().stream()
        .filter(name -> name.equals(end) || name.endsWith("/" + end))
        .sorted()
        .findFirst()
        .orElse("");
  }

  /** Looks up a path in the archive, following the archive's links. */
  ResolvedPath find(String path) {
    Deque<String> parts = new ArrayDeque<>(List.of(path.split("/", -1)));
    Deque<String> found = new ArrayDeque<>();
    int links = 0;
    String firstLink = "";
    while (!parts.isEmpty()) {
      if (!ArchiveReader.enter(found, parts.removeFirst())) {
        return missing(path, firstLink);
      }
      String name = String.join("/", found);
      Entry entry = entries.get(name);
      if (entry == null && !folders.containsKey(name)) {
        return missing(name, firstLink);
      }
      if (entry == null || entry.target().isEmpty()) {
        continue;
      }
      boolean symbolic = entry.kind() == Kind.SYMBOLIC_LINK;
      if (symbolic && firstLink.isEmpty()) {
        firstLink = name;
      }
      leaveForTarget(found, symbolic);
      if (++links > MAX_LINKS || leadsOutside(entry.target(), found.size())) {
        return new ResolvedPath(null, null, name, entry.target(), firstLink, "");
      }
      addFirst(parts, entry.target());
    }
    String name = String.join("/", found);
    return new ResolvedPath(entries.get(name), heads.get(name), "", "", firstLink, "");
  }

  /** Moves to the folder to which a link's target is relative. */
  private static void leaveForTarget(Deque<String> link, boolean symbolic) {
    if (symbolic) {
      link.removeLast();
    } else {
      link.clear();
    }
  }

  private static void addFirst(Deque<String> parts, String path) {
    List<String> more = List.of(path.split("/", -1));
    for (int i = more.size() - 1; i >= 0; i--) {
      parts.addFirst(more.get(i));
    }
  }

  private static ResolvedPath missing(String name, String firstLink) {
    return new ResolvedPath(null, null, "", "", firstLink, name);
  }

  /**
   * Returns true if a link's target is absolute, or leads above the archive's root.
   *
   * @param depth number of folders between the archive's root and the link
   */
  private static boolean leadsOutside(String target, int depth) {
    if (target.startsWith("/")) {
      return true;
    }
    int level = depth;
    for (String part : target.split("/", -1)) {
      level += part.equals("..") ? -1 : part.isEmpty() || part.equals(".") ? 0 : 1;
      if (level < 0) {
        return true;
      }
    }
    return false;
  }
}
