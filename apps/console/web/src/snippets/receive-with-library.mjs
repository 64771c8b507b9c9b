import { createServer } from 'node:http';
import { seenInMemory, webhookReceiver } from '@rewardhook/webhook/verify';

const receive = webhookReceiver({
  secrets: [process.env.REWARDHOOK_SIGNING_SECRET],
  // One process only; keep the ids in your database where there are several.
  seen: seenInMemory(),
  onEvent: async (event) => {
    if (event.type === 'reward.issue') {
      const { reward, member_id } = event.data;
      console.log(`grant ${reward.amount} ${reward.unit} to ${member_id}`);
    }
  },
});

createServer(receive).listen(3000);
