package io.tony.config;

import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.MissingResourceException;
import java.util.Set;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Content of a configuration file in Hadoop's XML format ({@code tony.xml}, {@code tony-site.xml}).
 * Blanks around names are removed; values are unchanged, and {@code ${…}} in them is not expanded.
 * As in Hadoop, a property without a value counts as not set. A file with a document type
 * definition, an external entity or XInclude is rejected.
 *
 * @param values values by key, as written
 * @param finalKeys keys whose values the file declares as final, so that sources of higher
 *     precedence cannot replace them
 */
public record TonyXml(Map<String, String> values, Set<String> finalKeys) {
  public TonyXml {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    finalKeys = Collections.unmodifiableSet(new LinkedHashSet<>(finalKeys));
  }

  /**
   * Returns the values of the file. If the file sets an option under two names and only the value
   * of the other name is final, leaves out the value of the option's own key, so that the final one
   * applies.
   */
  Map<String, String> effectiveValues() {
    Map<String, String> effective = new LinkedHashMap<>(values);
    for (String key : finalKeys) {
      String current = Registry.currentName(key);
      if (!finalKeys.contains(current)) {
        effective.remove(current);
      }
    }
    return effective;
  }

  /**
   * Returns the values of a file by key, without the information which of them are final.
   *
   * @param name name of the file, for error messages
   */
  public static Map<String, String> readValues(InputStream in, String name) {
    return parse(in, name).values();
  }

  /**
   * Returns the values of a local file by key, without the information which of them are final.
   *
   * @param name name of the file, for error messages
   */
  public static Map<String, String> readValues(Path file, String name) throws IOException {
    return parse(file, name).values();
  }

  /**
   * Reads a local file.
   *
   * @param name name of the file, for error messages
   */
  public static TonyXml parse(Path file, String name) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return parse(in, name);
    }
  }

  /**
   * Reads a file.
   *
   * @param name name of the file, for error messages
   * @throws ConfigException if the file is not a Hadoop configuration; the message names file and
   *     line
   */
  public static TonyXml parse(InputStream in, String name) {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    try {
      return new XmlReader(factory.createXMLStreamReader(in), name).parse();
    } catch (XMLStreamException e) {
      throw new ConfigException(
          position(name, e.getLocation()) + ": not valid XML: " + e.getMessage(), e);
    } catch (MissingResourceException e) {
      // The JDK's parser throws this for malformed XML if it has no message text for the error.
      throw new ConfigException(name + ": not valid XML: " + e.getMessage(), e);
    }
  }

  private static String position(String name, @Nullable Location location) {
    return location == null ? name : name + ":" + location.getLineNumber();
  }

  private static final class XmlReader {
    private final XMLStreamReader xml;
    private final String name;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> finalKeys = new LinkedHashSet<>();

    XmlReader(XMLStreamReader xml, String name) {
      this.xml = xml;
      this.name = name;
    }

    TonyXml parse() throws XMLStreamException {
      nextTag();
      if (!xml.getLocalName().equals("configuration")) {
        throw error("expected <configuration>, found <" + xml.getLocalName() + ">");
      }
      while (nextTag() == XMLStreamConstants.START_ELEMENT) {
        // Hadoop also allows a configuration element inside another one; TonY rejects it, because
        // users do not write it.
        if (!xml.getLocalName().equals("property")) {
          throw error("expected <property>, found <" + xml.getLocalName() + ">");
        }
        readProperty();
      }
      while (xml.hasNext()) {
        xml.next();
      }
      return new TonyXml(values, finalKeys);
    }

    private void readProperty() throws XMLStreamException {
      Location start = xml.getLocation();
      String key = xml.getAttributeValue(null, "name");
      String value = xml.getAttributeValue(null, "value");
      boolean isFinal = Boolean.parseBoolean(xml.getAttributeValue(null, "final"));
      while (nextTag() == XMLStreamConstants.START_ELEMENT) {
        String element = xml.getLocalName();
        switch (element) {
          case "name" -> key = xml.getElementText();
          case "value" -> value = xml.getElementText();
          case "final" -> isFinal = xml.getElementText().strip().equals("true");
          case "description", "source", "tag" -> skipElement();
          default -> throw error("<" + element + "> is not part of a <property>");
        }
      }
      if (key == null || key.isBlank()) {
        throw new ConfigException(position(name, start) + ": a <property> without a <name>");
      }
      if (value != null && !finalKeys.contains(key.strip())) {
        values.put(key.strip(), value);
        if (isFinal) {
          finalKeys.add(key.strip());
        }
      }
    }

    /**
     * Skips the content of the current element, such as a description, which may contain markup.
     */
    private void skipElement() throws XMLStreamException {
      int depth = 1;
      while (depth > 0) {
        int event = xml.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
          depth++;
        } else if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        }
      }
    }

    /**
     * Moves to the next start or end of an element, and returns the kind of the event. Throws if
     * anything but comments and blanks comes before it.
     */
    private int nextTag() throws XMLStreamException {
      while (true) {
        int event = xml.next();
        switch (event) {
          case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_ELEMENT -> {
            return event;
          }
          case XMLStreamConstants.DTD -> throw error("a document type definition is not allowed");
          case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
            if (!xml.isWhiteSpace()) {
              throw error("text outside of a <property>: '" + xml.getText().strip() + "'");
            }
          }
          case XMLStreamConstants.SPACE,
              XMLStreamConstants.COMMENT,
              XMLStreamConstants.PROCESSING_INSTRUCTION -> {
            // Comments may stand between elements.
          }
          default -> throw error("unexpected content");
        }
      }
    }

    private ConfigException error(String message) {
      return new ConfigException(position(name, xml.getLocation()) + ": " + message);
    }
  }
}
