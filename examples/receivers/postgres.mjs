import { createServer } from 'node:http';
import pg from 'pg';
import { webhookReceiver } from '@rewardhook/verify';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

const handled = {
  async once(key, work) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      // Waits while another transaction inserts the same key, and inserts it if that one rolls back.
      const insert = 'INSERT INTO handled_events (key) VALUES ($1) ON CONFLICT DO NOTHING';
      const { rowCount } = await client.query(insert, [key]);
      if (rowCount === 1) await work(client);
      await client.query('COMMIT');
      client.release();
      return rowCount === 1;
    } catch (error) {
      client.release(true); // closes the connection, which rolls back
      throw error;
    }
  },
};

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
