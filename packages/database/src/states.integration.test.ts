import { database, useDatabase } from './fixtures/use-database.ts';
import * as states from './states.ts';

useDatabase(1);

it.each([
  ['api_keys', 'api_keys_kind', states.keyKinds],
  ['verified_origins', 'verified_origins_proof', states.originProofs],
  ['referrals', 'referrals_source', states.referralSources],
  ['referrals', 'referrals_review', states.reviewStates],
  ['waiting_links', 'waiting_links_source', states.referralSources],
  ['referral_moves', 'referral_moves_source', states.referralSources],
  ['waiting_links', 'waiting_links_review', states.reviewStates],
  ['rewards', 'rewards_link_source', states.referralSources],
  ['decisions', 'decisions_outcome', states.decisionOutcomes],
  ['rewards', 'rewards_role', states.rewardRoles],
  ['rewards', 'rewards_state', states.rewardStates],
  ['deliveries', 'deliveries_state', states.deliveryStates],
  ['open_promises', 'open_promises_kind', states.promiseKinds],
  ['open_promises', 'open_promises_holder', states.promiseHolders],
  ['problems', 'problems_kind', states.problemKinds],
  ['problems', 'problems_mailed_to', states.problemRecipients],
  ['replays', 'replays_state', states.replayStates],
  ['notices', 'notices_type', states.noticeTypes],
  ['memberships', 'memberships_role', states.teamRoles],
  ['invitations', 'invitations_role', states.teamRoles],
  ['account_mails', 'account_mails_kind', states.accountMailKinds],
  ['audit_entries', 'audit_entries_actor_kind', states.auditActorKinds],
  ['audit_entries', 'audit_entries_outcome', states.auditOutcomes],
  ['activity_counts', 'activity_counts_subject', states.activitySubjects],
])('The values of %s that the check %s allows are those of states.ts', async (table, check, values) => {
  const [found] = await database.query<{ definition: string }>(
    'SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2',
    [table, check],
  );
  const literals = [...(found?.definition ?? '').matchAll(/'([^']*)'::text/g)].map(([, value]) => value);
  expect(new Set(literals)).toEqual(new Set(values));
});
