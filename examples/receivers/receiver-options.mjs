import { handledInMemory } from '@rewardhook/verify';

export const options = {
  secrets: [process.env.REWARDHOOK_SIGNING_SECRET ?? ''],
  handled: handledInMemory(), // for trying out; in production your database, as above
  onEvent(event) {
    if (event.type === 'reward.issue') add(event.data.reward.amount, event.data.member_id);
    if (event.type === 'reward.revoke') add(-event.data.reward.amount, event.data.member_id);
  },
};

function add(points, member) {
  console.log(`add ${points} to ${member}`);
}
