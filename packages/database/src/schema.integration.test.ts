import { database, useDatabase } from './fixtures/use-database.ts';
import * as states from './states.ts';

describe('Ready to be distributed by the merchant', () => {
  useDatabase(1);

  /**
   * Small tables, the same on every node of a distributed PostgreSQL ("reference tables"): merchants with their keys and users, and
   * what concerns no merchant or all of them.
   */
  const sameEverywhere = [
    '_prisma_migrations',
    'account_mails',
    'api_keys',
    'attempt_progress',
    'audit_entries',
    'click_progress',
    'contact_confirmations',
    'former_identity_secrets',
    'installation',
    'invitations',
    'memberships',
    'merchants',
    'password_resets',
    'promise_counts',
    'prunings',
    'sessions',
    'sign_ups',
    'signing_keys',
    'users',
    'version_ceiling',
    'webhook_hosts',
    'wipes',
    'write_probes',
  ];

  interface Key {
    table: string;
    columns: string[];
    kind: string;
  }

  /** The primary keys, unique keys and foreign keys of the tables, without those of partitions. */
  const keysSql = `
  SELECT c.relname AS table, CASE WHEN i.indisprimary THEN 'primary' ELSE 'unique' END AS kind,
    ARRAY(SELECT coalesce(a.attname, pg_get_indexdef(i.indexrelid, k.number::int, true)) FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, number)
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
      ORDER BY k.number)::text[] AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT f.conrelid::regclass::text, 'foreign',
    ARRAY(SELECT a.attname FROM unnest(f.conkey) WITH ORDINALITY AS k (attnum, number)
      JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum ORDER BY k.number)::text[]
  FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND f.conparentid = 0
  ORDER BY 1, 2`;

  it('Every primary, unique and foreign key starts with the merchant, but for small tables and these exceptions', async () => {
    const keys = await database.query<Key>(keysSql);
    expect(keys.length).toBeGreaterThan(40);
    const others = keys.filter(
      ({ table, columns }) => !sameEverywhere.includes(table) && columns[0] !== 'merchant_id',
    );
    const texts = others.map(({ table, kind, columns }) => `${kind} key of ${table}: ${columns.join(', ')}`);
    // docs/decisions/082-distribution.md says what a distributed PostgreSQL would make of each.
    expect(texts).toEqual([
      'primary key of attempts: delivery_id, number, started_at, merchant_id',
      'primary key of deliveries: id, merchant_id',
      'unique key of members: code',
    ]);
  });

  it('Every other table has the merchant in a column that is never null', async () => {
    const rows = await database.query<{ table: string; required: boolean | null }>(
      `SELECT c.relname AS table, a.attnotnull AS required
       FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
    );
    const distributed = rows.filter(({ table }) => !sameEverywhere.includes(table));
    expect(distributed.filter(({ required }) => required !== true)).toEqual([]);
    expect(sameEverywhere.filter((name) => !rows.some(({ table }) => table === name))).toEqual([]);
  });

  it('The rows of one merchant need no sequence of all merchants but that of events', async () => {
    const sequences = await database.query<{ name: string }>(
      `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public'`,
    );
    expect(sequences.map(({ name }) => name)).toEqual(['events_sequence_seq']);
  });
});

describe('The values of a column', () => {
  useDatabase(1);

  it.each([
    ['api_keys', 'api_keys_kind', states.keyKinds],
    ['verified_origins', 'verified_origins_proof', states.originProofs],
    ['referrals', 'referrals_source', states.referralSources],
    ['referrals', 'referrals_review', states.reviewStates],
    ['referrals', 'referrals_ended', states.referralEnds],
    ['waiting_links', 'waiting_links_source', states.referralSources],
    ['referral_moves', 'referral_moves_source', states.referralSources],
    ['waiting_links', 'waiting_links_review', states.reviewStates],
    ['rewards', 'rewards_link_source', states.referralSources],
    ['decisions', 'decisions_outcome', states.decisionOutcomes],
    ['rewards', 'rewards_role', states.rewardRoles],
    ['rewards', 'rewards_state', states.rewardStates],
    ['rewards', 'rewards_correction', states.rewardCorrections],
    ['reward_corrections', 'reward_corrections_kind', states.correctionKinds],
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
});
