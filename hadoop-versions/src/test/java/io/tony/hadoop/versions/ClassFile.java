package io.tony.hadoop.versions;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What the constant pool of a class file refers to: all classes, fields and methods that its code
 * can ask the JVM for. The format is defined in the Java Virtual Machine Specification, 4.4.
 */
final class ClassFile {

  /**
   * A class, or a field or method of it.
   *
   * @param owner binary name, such as java.util.Map$Entry, or the descriptor of an array
   * @param name null when the class itself is meant
   * @param descriptor of the field or method, as in the JVM's specification, 4.3; else null
   */
  record Reference(Kind kind, String owner, String name, String descriptor) {
    @Override
    public String toString() {
      return name == null ? owner : owner + "." + name + " " + descriptor;
    }
  }

  enum Kind {
    CLASS,
    FIELD,
    METHOD,
    INTERFACE_METHOD
  }

  private static final int UTF8 = 1;
  private static final int INTEGER = 3;
  private static final int FLOAT = 4;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;
  private static final int DYNAMIC = 17;
  private static final int INVOKE_DYNAMIC = 18;

  private final int[] tags;

  /** The one or two numbers of an entry, most of them indices of other entries. */
  private final int[] first;

  private final int[] second;
  private final String[] texts;

  private ClassFile(int size) {
    tags = new int[size];
    first = new int[size];
    second = new int[size];
    texts = new String[size];
  }

  static Set<Reference> references(InputStream classFile) throws IOException {
    DataInputStream in = new DataInputStream(classFile);
    in.skipNBytes(8); // Magic number and version.
    ClassFile file = new ClassFile(in.readUnsignedShort());
    file.read(in);
    return file.references();
  }

  private void read(DataInputStream in) throws IOException {
    for (int i = 1; i < tags.length; i++) {
      tags[i] = in.readUnsignedByte();
      switch (tags[i]) {
        case UTF8 -> texts[i] = in.readUTF();
        case INTEGER, FLOAT -> in.skipNBytes(4);
        case LONG, DOUBLE -> {
          in.skipNBytes(8);
          i++; // Takes two places.
        }
        case CLASS, STRING, METHOD_TYPE -> first[i] = in.readUnsignedShort();
        case METHOD_HANDLE -> in.skipNBytes(3);
        case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, DYNAMIC, INVOKE_DYNAMIC -> {
          first[i] = in.readUnsignedShort();
          second[i] = in.readUnsignedShort();
        }
        default -> throw new IOException("an entry of the unknown kind " + tags[i]);
      }
    }
  }

  private Set<Reference> references() {
    Set<Reference> references = new LinkedHashSet<>();
    for (int i = 1; i < tags.length; i++) {
      switch (tags[i]) {
        case CLASS -> references.add(new Reference(Kind.CLASS, className(i), null, null));
        case FIELD -> references.add(member(Kind.FIELD, i));
        case METHOD -> references.add(member(Kind.METHOD, i));
        case INTERFACE_METHOD -> references.add(member(Kind.INTERFACE_METHOD, i));
        default -> {
          // Refers to no class, or through an entry of its own.
        }
      }
    }
    return references;
  }

  private Reference member(Kind kind, int index) {
    int nameAndType = second[index];
    return new Reference(
        kind, className(first[index]), texts[first[nameAndType]], texts[second[nameAndType]]);
  }

  private String className(int index) {
    return texts[first[index]].replace('/', '.');
  }
}
