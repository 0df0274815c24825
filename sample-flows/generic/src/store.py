"""A client of the job's store, on nothing but the standard library."""

import os
import urllib.error
import urllib.parse
import urllib.request

URL, TOKEN = os.environ["TONY_STORE_URL"], os.environ["TONY_STORE_TOKEN"]


def _call(method, key, body=None, **query):
    url = f"{URL}/{urllib.parse.quote(key)}?{urllib.parse.urlencode(query)}".rstrip("?")
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {TOKEN}"}, method=method)
    # The store is on the cluster: no proxy stands between.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{method} {key}: {error.code} {error.read().decode()}") from error


def put(key, value):
    _call("PUT", key, value.encode())


def get(key, wait=60):
    """The value, as soon as somebody has put it there."""
    return _call("GET", key, wait=wait).decode()


def add(key, number=1):
    """Adds to a counter, and gives the sum."""
    return int(_call("POST", key, add=number))


def barrier(key, size, member, wait=60):
    """Comes back when all members are here. Each barrier needs a key of its own."""
    _call("POST", key, barrier=size, member=member, wait=wait)
