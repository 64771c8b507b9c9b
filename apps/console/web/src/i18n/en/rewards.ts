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
};
