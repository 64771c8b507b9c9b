import { createClient, RewardhookError, type OrderInput } from '@rewardhook/node';
import { handledInMemory, webhookReceiver } from '@rewardhook/verify';
import express from 'express';

function env(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const rewardhook = createClient({
  secretKey: env('REWARDHOOK_SECRET_KEY'),
  apiUrl: env('REWARDHOOK_BASE_URL'),
});

/** Points by member. A real shop has a table, with a unique key on the reward's id and the type of the event. */
const points = new Map<string, number>();
function add(member: string, amount: number): void {
  points.set(member, (points.get(member) ?? 0) + amount);
}

const app = express();

// #region webhooks
// Before express.json(): the signature covers the raw bytes.
app.post(
  '/webhooks',
  webhookReceiver({
    secrets: [env('REWARDHOOK_SIGNING_SECRET')],
    // In production your database, in the same transaction as the grant.
    handled: handledInMemory(),
    onEvent: {
      'reward.issue': ({ data }) => add(data.member_id, data.reward.amount),
      'reward.revoke': ({ data }) => add(data.member_id, -data.reward.amount),
    },
  }),
);

app.use(express.json());
// #endregion

// #region orders
app.post('/orders', async (request, response) => {
  try {
    const sent = await rewardhook.orders.send([request.body as OrderInput]);
    // Fields that are probably a mistake: they belong in your log.
    for (const [field, warning] of Object.entries(sent.warnings)) console.warn(`${field} ${warning}`);
    response.status(202).json({ accepted: sent.accepted_count });
  } catch (error) {
    if (!(error instanceof RewardhookError) || error.code !== 'invalid_request') throw error;
    response.status(400).json({ errors: error.params });
  }
});
// #endregion

app.get('/points/:member', (request, response) => {
  response.json({ points: points.get(request.params.member) ?? 0 });
});

const port = Number(process.env['PORT'] ?? 4000);
app.listen(port, () => console.log(`The shop is at http://127.0.0.1:${port}`));
