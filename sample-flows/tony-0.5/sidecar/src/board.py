"""A stand-in for TensorBoard: a page on TB_PORT, until it is stopped."""

import http.server
import json
import os
import sys
import threading

ENV = os.environ


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"role": ENV["JOB_NAME"], "tb_port": int(ENV["TB_PORT"])}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    if ENV["JOB_NAME"] != "tensorboard" or not ENV.get("TB_PORT", "").isdigit():
        sys.exit(f"JOB_NAME {ENV['JOB_NAME']!r}, TB_PORT {ENV.get('TB_PORT')!r}: not the task of a board")
    host, _, port = json.loads(ENV["CLUSTER_SPEC"])["tensorboard"][0].rpartition(":")
    # The worker knows only the port of the cluster spec; it asks there for the other one.
    known = http.server.ThreadingHTTPServer((host, int(port)), Page)
    threading.Thread(target=known.serve_forever, daemon=True).start()
    board = http.server.ThreadingHTTPServer((host, int(ENV["TB_PORT"])), Page)
    print(f"board on http://{host}:{ENV['TB_PORT']}/", flush=True)
    board.serve_forever()
