import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.REWARDHOOK_SIGNING_SECRET ?? '';
const signingKey = Buffer.from(secret.replace('whsec_', ''), 'base64');
if (signingKey.length < 24) throw new Error('REWARDHOOK_SIGNING_SECRET is not a signing secret');

// Whether your key signed exactly these bytes, within the last five minutes.
function isVerified(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - sentAt) <= 300)) return false; // also without a timestamp
  const hmac = createHmac('sha256', signingKey).update(`${id}.${sentAt}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

// In memory only. In production, use a table with a unique key on reward id and event type, and write to it
// in the same transaction as the grant.
const handled = new Map();

// Runs the work once per key. Concurrent calls wait for it. After a failure, the next call runs it again.
function once(key, work) {
  if (!handled.has(key)) {
    const working = work();
    handled.set(key, working);
    working.catch(() => handled.delete(key));
  }
  return handled.get(key);
}

async function handle({ type, test, mode, data }) {
  // A test event, or an event of the test side: nothing real happened. On the test side, check only `test`.
  if (test || mode === 'test') return;
  if (type !== 'reward.issue' && type !== 'reward.revoke') return;
  const { reward, member_id } = data;
  await once(`${type} ${reward.id}`, async () => {
    // A revocation can arrive before its issue. Add and subtract, so that the order does not matter.
    if (type === 'reward.issue') console.log(`grant ${reward.amount} ${reward.unit} to ${member_id}`);
    else console.log(`take back ${reward.amount} ${reward.unit} from ${member_id}`);
  });
}

createServer(async (request, response) => {
  try {
    let body = Buffer.alloc(0); // the raw bytes, not parsed and serialized JSON
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk]);
      if (body.length > 1_000_000) return void request.destroy();
    }
    if (!isVerified(request.headers, body)) return void response.writeHead(400).end('not verified');
    await handle(JSON.parse(body));
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(500).end(); // the event is sent again
  }
}).listen(8080);
