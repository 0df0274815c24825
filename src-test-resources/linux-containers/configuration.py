"""Reads the files of YARN's container-executor: lines NAME=VALUE, and [SECTION] before the lines of a section."""


class Configuration:
    def __init__(self, file):
        self._sections = {"": {}}
        section = ""
        with open(file, encoding="utf-8") as lines:
            for line in map(str.strip, lines):
                if line.startswith("[") and line.endswith("]"):
                    section = line[1:-1]
                    self._sections.setdefault(section, {})
                elif line and not line.startswith("#"):
                    name, _, value = line.partition("=")
                    self._sections[section][name.strip()] = value.strip()

    def value(self, name, default=None, section=""):
        return self._sections.get(section, {}).get(name, default)

    def values(self, name, section=""):
        """Returns the non-empty parts of a comma-separated list."""
        return [part for part in (self.value(name, "", section)).split(",") if part]
