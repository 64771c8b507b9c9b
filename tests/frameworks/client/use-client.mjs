// Uses what the client offers, and prints what it found as JSON. It runs in Node.js, Bun and Deno.
import { createClient, cursorFile, RewardhookError, userHash } from '@rewardhook/node';

const [, , prefix] = process.argv;
const { REWARDHOOK_SECRET_KEY: secretKey, REWARDHOOK_BASE_URL: apiUrl } = process.env;
const rewardhook = createClient({ secretKey, apiUrl });
const [referrer, referee] = [`${prefix}-referrer`, `${prefix}-referee`];

const linked = await rewardhook.members.link({ referrer_member_id: referrer, referee_member_id: referee });
const now = new Date().toISOString();
const amounts = { order_amount: 30000, paid_amount: 30000, shipping_amount: 0 };
const order = (number, changes) => ({
  ...{ order_id: `${prefix}-${number}`, member_id: referee, ...amounts, order_date: now, paid_at: now },
  ...changes,
});
// Three requests, of which the second has an invalid order.
const small = createClient({ secretKey, apiUrl, batch: { maxOrders: 2 } });
const sent = await small.orders.send(
  [order(1), order(2), order(3), order(4, { order_amount: '한' }), order(5)],
  { onInvalid: 'skip' },
);

const until = AbortSignal.timeout(30_000);
const rewards = new Set();
const reading = new AbortController();
await rewardhook.events
  .read({
    cursors: cursorFile(`${prefix}.cursor`),
    pollMs: 100,
    signal: AbortSignal.any([until, reading.signal]),
    onEvent({ data }) {
      if ([referrer, referee].includes(data.member_id)) rewards.add(data.member_id);
      if (rewards.size === 2) reading.abort();
    },
  })
  .catch((error) => {
    if (!reading.signal.aborted) throw error;
  });

const orders = [];
for await (const { order_id: id } of rewardhook.orders.list({ member_id: referee })) orders.push(id);
const refused = await createClient({ secretKey: secretKey.slice(0, -1), apiUrl })
  .orders.send([order(6)])
  .catch((error) => error);
const unreachable = await createClient({
  secretKey,
  apiUrl: 'http://127.0.0.1:1',
  retry: { attempts: 2, firstDelayMs: 1 },
})
  .orders.send([order(6)])
  .catch((error) => error);

console.log(
  JSON.stringify({
    linked: linked.id.slice(0, 4),
    accepted: sent.accepted_count,
    invalid: sent.invalid.map(({ order_id: id, errors }) => [id.slice(prefix.length), Object.keys(errors)]),
    rewards: [...rewards]
      .map((member) => String(member.slice(prefix.length)))
      .toSorted((one, other) => one.localeCompare(other)),
    orders: orders.map((id) => id.slice(prefix.length)).toSorted(),
    errors: [refused, unreachable].map((error) => error instanceof RewardhookError && error.code),
    // docs/linking.md has its beginning.
    hash: userHash('user-42', 'ids_example').slice(0, 8),
  }),
);
