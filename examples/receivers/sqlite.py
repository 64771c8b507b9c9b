import base64, contextlib, hashlib, hmac, json, os, sqlite3, time, traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def is_webhook(body, headers, secrets, now=None, tolerance=300):
    """body: the raw bytes; headers: names in lower case; secrets: one, or two during a rotation"""
    delivery, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not delivery or not (timestamp.isascii() and timestamp.isdecimal()):
        return False
    if abs((now or time.time()) - int(timestamp)) > tolerance:
        return False
    given = headers.get("webhook-signature", "").encode().split(b" ")
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        if len(key) < 24:
            raise ValueError("not a signing secret")  # anyone can sign with an empty key
        digest = hmac.new(key, f"{delivery}.{timestamp}.".encode() + body, hashlib.sha256).digest()
        if any(hmac.compare_digest(b"v1," + base64.b64encode(digest), one) for one in given):
            return True
    return False


def handle(event):
    # A test event, or an event of the test side: nothing real happened. On the test side, check only "test".
    if event.get("test") or event.get("mode") == "test":
        return
    if event["type"] not in ("reward.issue", "reward.revoke"):
        return  # an event about something else
    issue = event["type"] == "reward.issue"
    reward, member = event["data"]["reward"], event["data"]["member_id"]
    with contextlib.closing(sqlite3.connect("rewards.db")) as db, db:  # one transaction
        db.execute(
            "CREATE TABLE IF NOT EXISTS point_entries (reward_id TEXT, event_type TEXT, member_id TEXT,"
            " points INTEGER, PRIMARY KEY (reward_id, event_type))"
        )
        entry = (reward["id"], event["type"], member, reward["amount"] if issue else -reward["amount"])
        added = db.execute("INSERT INTO point_entries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", entry)
        if added.rowcount == 1:
            what = f'{reward["amount"]} {reward["unit"]}'
            print(f"grant {what} to {member}" if issue else f"take back {what} from {member}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds without a byte

    def do_POST(self):
        try:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length) if 0 < length <= 1_000_000 else b""
            headers = {name.lower(): value for name, value in self.headers.items()}
            if is_webhook(body, headers, [os.environ["REWARDHOOK_SIGNING_SECRET"]]):
                handle(json.loads(body))
                self.send_response(204)
            else:
                self.send_response(400)
        except Exception:
            traceback.print_exc()
            self.send_response(500)  # the event comes again
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("", 8080), Receiver).serve_forever()
