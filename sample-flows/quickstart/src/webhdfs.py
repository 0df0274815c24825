"""Whole files to and from HDFS over WebHDFS, for clusters with simple authentication."""

import getpass
import json
import os
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 30

# Cluster addresses are never behind the proxy that the environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class WebHdfsError(RuntimeError):
    """HDFS refused or could not be reached; the message names the file and the reason."""


class WebHdfs:
    """One file system. Paths are absolute, or hdfs:// URIs of the same file system."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()

    def write(self, path, text):
        location = self._locate("PUT", path, op="CREATE", overwrite="true")
        self._request("PUT", location, path, text.encode("utf-8"))

    def read(self, path):
        location = self._locate("GET", path, op="OPEN")
        return self._request("GET", location, path).decode("utf-8")

    def _locate(self, method, path, **parameters):
        """The DataNode's address: asked for as JSON, because urllib does not follow a redirected PUT."""
        parameters.update({"user.name": self.user, "noredirect": "true"})
        file = urllib.parse.quote(urllib.parse.urlsplit(path).path)
        query = urllib.parse.urlencode(parameters)
        answer = self._request(method, f"{self.url}/webhdfs/v1{file}?{query}", path)
        return json.loads(answer)["Location"]

    @staticmethod
    def _request(method, url, path, body=None):
        request = urllib.request.Request(url, data=body, method=method)
        request.add_header("Content-Type", "application/octet-stream")
        try:
            with DIRECT.open(request, timeout=TIMEOUT_SECONDS) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            raise WebHdfsError(f"{path}: {reason(error)}") from error
        except OSError as error:  # URLError is one: refused, unknown host, timed out
            raise WebHdfsError(f"{path}: cannot reach {url.split('?')[0]}: {error}") from error


def reason(error):
    """What HDFS says, where it says it; else the bare HTTP status."""
    try:
        return json.loads(error.read())["RemoteException"]["message"].splitlines()[0]
    except (ValueError, KeyError, TypeError, IndexError):
        return f"HTTP {error.code} {error.reason}"
