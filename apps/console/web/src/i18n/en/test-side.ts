/** The test side of a shop. */
export const testSide = {
  testSide: {
    switch: 'Live or test',
    modes: { live: 'Live', test: 'Test' },
    banner: 'Test mode.',
    bannerText: 'Keys, webhooks and data on this side are separate from live.',
    shared: 'This applies to live and test.',
    sample: {
      title: 'Try it: from a referral to a reward',
      lead: 'Creates two members, links them, and sends a paid order. Everything after that runs as for a real order.',
      create: 'Create sample referral and order',
      hint: 'A sample takes a few seconds. Register a webhook first to receive its events.',
      linked: 'Members linked',
      order: 'Order stored',
      decision: 'Order evaluated',
      rewards: 'Rewards confirmed',
      webhook: 'Webhook delivered',
      endingHold: 'The program holds rewards for some days. For the sample, the hold ends now.',
      noReward: 'The program gives no reward for this order.',
      noWebhook: 'No webhook receives reward.issue yet. Register one.',
      states: { done: 'Done', current: 'In progress', open: 'Not started', failed: 'Not reached' },
    },
    data: {
      title: 'Test data',
      lead: 'Members, referrals, orders, rewards, events and deliveries of the test side. Keys, webhooks and the program stay.',
      delete: 'Delete test data',
      confirm: 'Delete all test data?',
      confirmText:
        'This deletes all members, referrals, orders, rewards, events and deliveries of the test side, and cannot be undone. Data that is sent until the deletion ends may be deleted too. Live data is not affected.',
      deleting: 'The test data is being deleted.',
      deleted: 'Last deleted:',
      never: 'The test data has never been deleted.',
    },
    program: {
      copy: 'Copy live program',
      confirm: 'Copy the live program?',
      confirmText: 'The rule in force on the live side becomes the next version of the test side.',
    },
  },
};
