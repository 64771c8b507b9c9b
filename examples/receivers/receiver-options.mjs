import { handledInMemory, receiverOptions } from '@rewardhook/verify';

export const options = receiverOptions({
  secrets: [process.env.REWARDHOOK_SIGNING_SECRET],
  handled: handledInMemory(), // for trying out; in production your database, as above
  onEvent({ type, data }) {
    if (type === 'reward.issue') console.log(`add ${data.reward.amount} to ${data.member_id}`);
    if (type === 'reward.revoke') console.log(`take ${data.reward.amount} from ${data.member_id}`);
  },
});
