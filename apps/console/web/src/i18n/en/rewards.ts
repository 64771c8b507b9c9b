/** Rewards. */
export const rewards = {
  rewardRoles: { referee: 'Referee', referrer: 'Referrer' },
  rewards: {
    lead: 'The rewards of your members and their current state.',
    role: 'Recipient',
    allRoles: 'All recipients',
    amount: 'Amount',
    lastChange: 'Last updated',
    given: 'Created',
    confirmDue: 'Confirmation due',
    empty: 'No rewards yet',
    emptyText:
      'A reward is created when a paid order of a referred member meets the conditions of your program.',
    emptyAction: 'View program',
  },
  corrections: {
    column: 'By hand',
    empty: 'No rewards for this order',
    granted: 'Given',
    adjusted: 'Adjusted',
    revoked: 'Revoked',
    grant: 'Give reward',
    grantTitle: 'Give a reward by hand',
    grantText:
      'The reward is confirmed at once and sent to your webhooks. The rules of the program do not change it, and it stays when the order is cancelled.',
    grantDone: 'Reward given',
    grantEntry: 'A person gave a reward.',
    adjust: 'Adjust',
    adjustTitle: 'Change the amount of a reward',
    adjustText:
      'The reward keeps the new amount, whatever becomes of the amounts of the order. A confirmed reward is revoked and issued again.',
    adjustDone: 'Amount changed',
    adjustEntry: 'A person changed the amount.',
    newAmount: 'New amount',
    revoke: 'Revoke',
    revokeTitle: 'Revoke a reward',
    revokeText:
      'The reward is taken back, and your webhooks are notified. The program gives no other one in its place; you can give one by hand.',
    revokeDone: 'Reward revoked',
    revokeEntry: 'A person revoked the reward.',
    reason: 'Reason',
    reasonHint:
      'Shown on the page of the order. It stays when a member is erased, so leave personal data out.',
    exceedLimits: 'May exceed limits',
    exceedLimitsHint: 'Also when the cap of the referrer is reached, or the budget is used up.',
  },
};
