import { createServer } from 'node:http';
import pg from 'pg';
import { handledInDatabase, webhookReceiver } from '@rewardhook/verify';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

const handled = handledInDatabase({
  connect: () => pool.connect(),
  // Waits while another transaction inserts the same key, and inserts it if that one rolls back.
  async insert(client, key) {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const insert = 'INSERT INTO handled_events (key) VALUES ($1) ON CONFLICT DO NOTHING';
    return (await client.query(insert, [key])).rowCount === 1;
  },
  async commit(client) {
    await client.query('COMMIT');
    client.release();
  },
  rollback: (client) => client.release(true), // closes the connection, which rolls back
});

const receive = webhookReceiver({
  secrets: [process.env.REWARDHOOK_SIGNING_SECRET], // during a rotation: the new one and the old one
  handled,
  // Never for test events, and for events of the test side only if you set acceptTestSide: true.
  async onEvent({ type, data }, { transaction }) {
    if (type !== 'reward.issue' && type !== 'reward.revoke') return;
    const { reward, member_id } = data;
    const add = `INSERT INTO balances (member_id, points) VALUES ($1, $2)
      ON CONFLICT (member_id) DO UPDATE SET points = balances.points + excluded.points`;
    await transaction.query(add, [member_id, type === 'reward.issue' ? reward.amount : -reward.amount]);
    if (type === 'reward.issue') console.log(`grant ${reward.amount} ${reward.unit} to ${member_id}`);
    else console.log(`take back ${reward.amount} ${reward.unit} from ${member_id}`);
  },
});

createServer(receive).listen(8080); // Express: app.post('/webhooks', receive), before express.json()
