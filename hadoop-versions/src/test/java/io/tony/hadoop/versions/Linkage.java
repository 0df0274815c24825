package io.tony.hadoop.versions;

import io.tony.hadoop.versions.ClassFile.Kind;
import io.tony.hadoop.versions.ClassFile.Reference;
import java.lang.invoke.MethodType;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether the JVM will find what a class refers to on the class path of this JVM: the rules of
 * resolution of the Java Virtual Machine Specification, 5.4.3, without those of access.
 */
final class Linkage {

  private static final String CONSTRUCTOR = "<init>";

  private Linkage() {}

  /** What the JVM would say, or empty when it finds what is referred to. */
  static Optional<String> problem(Reference reference) {
    if (reference.owner().startsWith("[")) {
      return Optional.empty(); // Arrays have the methods of Object.
    }
    Class<?> owner;
    try {
      owner = load(reference.owner());
    } catch (ClassNotFoundException | LinkageError e) {
      return Optional.of(e.toString());
    }
    return switch (reference.kind()) {
      case CLASS -> Optional.empty();
      case FIELD ->
          hasField(owner, reference) ? Optional.empty() : Optional.of("has no such field");
      case METHOD, INTERFACE_METHOD -> {
        if (owner.isInterface() != (reference.kind() == Kind.INTERFACE_METHOD)) {
          yield Optional.of(owner.isInterface() ? "is an interface" : "is not an interface");
        }
        yield hasMethod(owner, reference) ? Optional.empty() : Optional.of("has no such method");
      }
    };
  }

  /** The methods that a class owes to its superclasses and interfaces. */
  static Stream<Method> unimplemented(Class<?> type) {
    return Modifier.isAbstract(type.getModifiers())
        ? Stream.empty()
        : Arrays.stream(type.getMethods()).filter(m -> Modifier.isAbstract(m.getModifiers()));
  }

  static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, false, Linkage.class.getClassLoader());
  }

  private static boolean hasField(Class<?> owner, Reference reference) {
    return family(owner)
        .flatMap(type -> Arrays.stream(type.getDeclaredFields()))
        .anyMatch(
            field ->
                field.getName().equals(reference.name())
                    && field.getType().descriptorString().equals(reference.descriptor()));
  }

  private static boolean hasMethod(Class<?> owner, Reference reference) {
    if (reference.name().equals(CONSTRUCTOR)) {
      return Arrays.stream(owner.getDeclaredConstructors())
          .anyMatch(constructor -> matches(constructor, void.class, reference));
    }
    Stream<Class<?>> ofInterfaces = owner.isInterface() ? Stream.of(Object.class) : Stream.empty();
    return Stream.concat(family(owner), ofInterfaces)
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .anyMatch(
            method ->
                method.getName().equals(reference.name())
                    && matches(method, method.getReturnType(), reference));
  }

  private static boolean matches(Executable method, Class<?> returned, Reference reference) {
    return MethodType.methodType(returned, method.getParameterTypes())
        .descriptorString()
        .equals(reference.descriptor());
  }

  /** The class, its superclasses, and the interfaces of all of them. */
  private static Stream<Class<?>> family(Class<?> type) {
    Stream<Class<?>> superclass =
        type.getSuperclass() == null ? Stream.empty() : family(type.getSuperclass());
    Stream<Class<?>> interfaces = Arrays.stream(type.getInterfaces()).flatMap(Linkage::family);
    return Stream.concat(Stream.of(type), Stream.concat(superclass, interfaces));
  }
}
