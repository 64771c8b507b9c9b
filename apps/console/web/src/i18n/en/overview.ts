/** Home. */
export const overview = {
  home: {
    title: 'Home',
    lead: 'How orders, rewards and deliveries are doing.',
    range: 'Range',
    ranges: { day: 'Day', week: 'Week', month: 'Month' },
    orders: 'Orders',
    rewardsConfirmed: 'Rewards confirmed',
    rewardsRevoked: 'Rewards revoked',
    deliveries: 'Deliveries',
    success: 'Delivered',
    p50: 'Answer time p50',
    p95: 'Answer time p95',
    checklist: {
      title: 'Get started',
      lead: '{{count}} of {{of}} steps are done.',
      done: 'Done',
      open: 'Still to do',
      key_used: {
        name: 'Use your key',
        text: 'Make the first call with your secret key.',
        act: 'To the credentials',
      },
      first_order: {
        name: 'Send an order',
        text: 'Paste the snippet and see the order arrive.',
        act: 'To the snippets',
      },
      webhook_registered: {
        name: 'Register a webhook',
        text: 'Say where rewards are to be announced.',
        act: 'Register a webhook',
      },
      signature_verified: {
        name: 'Verify a signature',
        text: 'Paste what your server got and see that it is ours.',
        act: 'To the checker',
      },
    },
    plots: {
      orders: 'Orders stored',
      rewards: 'Rewards',
      deliveries: 'Deliveries',
      successRate: '{{rate}} delivered',
      notDelivered: 'Not delivered',
      latency: 'Answer time of your webhooks',
      reasons: 'Why orders earned nothing',
      reasonsLead: 'Judgements without a reward, by reason.',
      empty: 'Nothing in this range',
      time: 'Time',
    },
  },
};
