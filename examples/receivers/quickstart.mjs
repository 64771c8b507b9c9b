// npm install ./rewardhook-verify-0.1.0.tgz
import { createServer } from 'node:http';
import { handledInMemory, webhookReceiver } from '@rewardhook/verify';

const receive = webhookReceiver({
  secrets: [process.env.REWARDHOOK_SIGNING_SECRET],
  // In memory only. In production, use your database, in the same transaction as the grant.
  handled: handledInMemory(),
  // Runs once per reward and event type. If it throws, the event is sent again.
  // Never for test events ("test": true).
  async onEvent({ type, mode, data }) {
    if (type !== 'reward.issue' && type !== 'reward.revoke') return;
    const { reward, member_id } = data;
    // A revocation can arrive before its issue. Add and subtract, so that the order does not matter.
    // What the test side grants stands for no money: keep it apart.
    const test = mode === 'test' ? 'test: ' : '';
    if (type === 'reward.issue') console.log(`${test}grant ${reward.amount} ${reward.unit} to ${member_id}`);
    else console.log(`${test}take back ${reward.amount} ${reward.unit} from ${member_id}`);
  },
  acceptTestSide: true,
});

createServer(receive).listen(8080);
