import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import '../index.ts';
import '../operations.ts';
import '../stages.ts';
import { fillTables } from '../fixtures/fill-tables.ts';
import { databaseUrl, useDatabase } from '../fixtures/use-database.ts';
import { keepPlansSettings } from './session.ts';
import { listStatements } from './statement.ts';

const projectRoot = join(import.meta.dirname, '../../../..');
const statements = listStatements();

/** Statements of transactions that keep their plans: evaluations, and the claims and records of deliveries. */
const kept = new Set([
  'claim due batches',
  'lock referrals of referees',
  'list referrals by id',
  'find the program in force',
  'list versions of a program',
  'lock the sum of live rewards',
  'lock referrers',
  'lock orders',
  'list earliest paid orders',
  'list earlier rewards',
  'list what a merchant was notified of',
  'count rewards of referrers',
  'count rewards of referrers by month',
  'read the clock',
  'lock rewards',
  'withdraw rewards',
  'confirm rewards',
  'insert decisions',
  'insert rewards',
  'lock referrals',
  'write referred orders',
  'settle the first orders of referrals',
  'insert events',
  'enqueue orders',
  'change the sum of live rewards',
  'find sendable endpoints',
  'claim due deliveries',
  'claim manual retries',
  'record attempts',
]);

/** Small tables and queues, which a statement may read in full: those of the others grow with the data. */
const small = ['due_batches', 'endpoints', 'program_versions', 'programs', 'signing_keys', 'wipes'];

/** `IS NOT DISTINCT FROM` compares the merchant, so that no index but the key is used. */
const byDeliveryId = ['deliveries_pkey (id)'];

/** A node of a plan. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  'TID Cond'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Each scan of a table with a merchant: the table, the index, and the columns that the index compares. */
interface Scan {
  table: string;
  index: string;
  columns: string[];
  byMerchant: boolean;
}

let client: Client;
// Declared before the hook that drops the database, which terminates its connections.
afterAll(() => client.end());
useDatabase(1);

const tables = new Set<string>();
const partitionOf = new Map<string, string>();

beforeAll(async () => {
  client = new Client({ connectionString: databaseUrl });
  await client.connect();
  for (const [name, value] of keepPlansSettings) await client.query(`SET ${name} = ${value}`);
  const { rows } = await client.query<{ name: string; parent: string }>(
    `SELECT c.relname AS name, coalesce(p.relname, c.relname) AS parent
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`,
  );
  for (const { name, parent } of rows) {
    tables.add(parent);
    partitionOf.set(name, parent);
  }
});

async function prepareAll(): Promise<void> {
  await client.query('DEALLOCATE ALL');
  for (const { name, text } of statements) await client.query(`PREPARE "${name}" AS ${text}`);
}

/** A value of each type, of which no merchant has one. */
function exampleOf(type: string): string {
  if (type.endsWith('[]')) return "'{}'";
  const samples: Record<string, string> = {
    uuid: "'00000000-0000-0000-0000-000000000000'",
    json: "'[]'",
    jsonb: "'[]'",
    boolean: 'true',
    text: "'2026-01-01'",
    'timestamp with time zone': "'2026-01-01'",
  };
  return samples[type] ?? '1';
}

const inParentheses = (values: string[]) => (values.length > 0 ? `(${values.join(', ')})` : '');

async function scansOf({ name, parameters }: { name: string; parameters: string[] }): Promise<Scan[]> {
  const hundred = "string_to_array(repeat('x ', 99) || 'x', ' ')";
  const values = inParentheses(parameters.map((type) => (type === 'text[]' ? hundred : exampleOf(type))));
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE "${name}" ${values}`,
  );
  const plans = rows.map((row) => row['QUERY PLAN'][0].Plan).filter(Boolean);
  return plans.flatMap(nodesOf).flatMap((node): Scan[] => {
    const partition = node['Relation Name'] ?? '';
    const table = partitionOf.get(partition);
    // The rows of the test are in the default partitions.
    if (
      !table ||
      /_p\d+$/.test(partition) ||
      !node['Node Type'].includes('Scan') ||
      node['TID Cond'] !== undefined
    )
      return [];
    const bitmaps = nodesOf(node).filter((inner) => inner['Node Type'] === 'Bitmap Index Scan');
    const indexes = bitmaps.length > 0 ? bitmaps : [node];
    return indexes.map((scan) => {
      const condition = scan['Index Cond'] ?? '';
      const index = scan['Index Name'] ?? node['Node Type'];
      return {
        table,
        index: index.replace(partition, table),
        columns: [...condition.matchAll(/\("?(\w+)"? (?:=|<|>|<=|>=) /g)].map(([, column]) => column ?? ''),
        byMerchant: /\bmerchant_id\b/.test(`${condition} ${node.Filter ?? ''}`),
      };
    });
  });
}

/** The scans of large tables by fewer than two columns, or without the merchant. */
async function looseScans(which: typeof statements): Promise<Record<string, string[]>> {
  const loose: Record<string, string[]> = {};
  for (const one of which) {
    const scans = (await scansOf(one)).filter(
      ({ table, columns, byMerchant }) => !small.includes(table) && (columns.length < 2 || !byMerchant),
    );
    const texts = scans.map(
      ({ index, columns, byMerchant }) =>
        `${index} (${columns.join(', ')})${byMerchant ? '' : ' of all merchants'}`,
    );
    if (texts.length > 0) loose[one.name] = [...new Set(texts)].sort();
  }
  return loose;
}

/** The plans of the statements of the function that stores orders, as auto_explain reports them. */
async function plansOfStoring(): Promise<string[]> {
  const plans: string[] = [];
  const listen = ({ message }: { message?: string | undefined }) => plans.push(message ?? '');
  client.on('notice', listen);
  await client.query(`BEGIN; LOAD 'auto_explain'; SET LOCAL client_min_messages = log;
    SET LOCAL auto_explain.log_min_duration = 0; SET LOCAL auto_explain.log_nested_statements = on`);
  const order = { order_id: 'o', member_id: 'm', order_amount: 1, paid_amount: 1, shipping_amount: 0 };
  const orders = [{ ...order, order_date: '2026-11-22T10:00:00Z' }];
  const batches = JSON.stringify([{ merchantId: 'mer', version: 1, orders }]);
  await client.query('SELECT * FROM rules.store_orders($1::jsonb)', [batches]);
  await client.query('ROLLBACK');
  client.off('notice', listen);
  return plans;
}

describe('The statements of the stages', () => {
  it('Every statement is complete: its text stands in a file as it runs, and the stages run no other SQL', () => {
    const folder = join(import.meta.dirname, '..');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('generated'),
    );
    const sources = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
    const source = [...sources.values()].join();
    expect(statements.filter(({ text }) => !source.includes(text)).map(({ name }) => name)).toEqual([]);
    expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length);

    const ofStages = /^(evaluation|deliveries|orders|events|rewards|replays)\//;
    const runsOther = paths.filter(
      (path) => ofStages.test(path) && /\.(query|execute)[<(]/.test(sources.get(path) ?? ''),
    );
    expect(runsOther).toEqual([]);
  });

  it('No statement uses what a distributed PostgreSQL refuses where there is a plain form', () => {
    const functions = [
      'store_orders',
      'resolve_aliases',
      'enqueue_orders',
      'enqueue_stored_orders',
      'store_orders_below_ceiling',
    ].map((name) => ({
      name,
      text: readFileSync(join(projectRoot, `prisma/sql/functions/${name}.sql`), 'utf8'),
    }));
    const using = (pattern: RegExp) =>
      [...statements, ...functions].filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    expect(using(/WITH RECURSIVE/)).toEqual([]);
    expect(using(/VALUES \([^;]*SELECT/)).toEqual([]);
    expect(using(/DO UPDATE[^;]*clock_timestamp/)).toEqual([]);
    // Those that lock rows of several merchants: docs/decisions/082-distribution.md says what becomes of them.
    const ofOneMerchant = new Set(using(/merchant_id = (\(SELECT )?\$1|FROM merchants WHERE id = \$1/));
    const locking = using(/FOR (NO KEY UPDATE|UPDATE|SHARE)/).filter((name) => !ofOneMerchant.has(name));
    expect(locking.sort()).toEqual([
      'claim due deliveries',
      'claim manual retries',
      'enqueue orders of referrals that need a pass',
      'enqueue orders that begin to count as paid',
      'enqueue orders whose hold has ended',
      'list late batches',
      'lock a replay that is due',
      'lock the deliveries of attempts',
      'move orders of aliases',
      'release held deliveries',
    ]);
  });

  it('The types of parameters and columns are those that the code declares', async () => {
    await prepareAll();
    const { rows } = await client.query<{ name: string; parameters: string[]; results: string[] | null }>(
      `SELECT name, parameter_types::text[] AS parameters, result_types::text[] AS results FROM pg_prepared_statements`,
    );
    const found = new Map(rows.map((row) => [row.name, row]));
    for (const { name, parameters, columns } of statements) {
      const types = found.get(name)?.results ?? [];
      const returned: [string, string | undefined][] = [];
      if (types.length > 0) {
        // Only the answer has the names of the columns.
        await client.query('BEGIN');
        const { fields } = await client.query(
          `EXECUTE "${name}" ${inParentheses(parameters.map(exampleOf))}`,
        );
        await client.query('ROLLBACK');
        returned.push(
          ...fields.map((field, index): [string, string | undefined] => [field.name, types[index]]),
        );
      }
      expect({
        name,
        parameters: found.get(name)?.parameters,
        columns: Object.fromEntries(returned),
      }).toEqual({
        name,
        parameters,
        columns,
      });
    }
  });

  it('A plan that is kept finds each row by a key, also when it was made for empty tables', async () => {
    await prepareAll();
    expect(await looseScans(statements.filter(({ name }) => kept.has(name)))).toEqual({
      'record attempts': byDeliveryId,
    });
  });

  it('Storing orders finds referrals and decisions by a key, with plans that were made for empty tables', async () => {
    const plan = (await plansOfStoring()).find((text) => text.includes('FROM referrals')) ?? '';
    expect(plan).toMatch(
      /referrals_merchant_id_referee_member_id_key.*\n\s*Index Cond: .*merchant_id.*AND.*referee_member_id/,
    );
    expect(plan).toMatch(/decisions_pkey.*\n\s*Index Cond: .*merchant_id.*AND.*order_id/);
    expect(plan).not.toMatch(/Seq Scan/);
  });

  it('Each row is found by an index, by its merchant and a second column, with these exceptions', async () => {
    await fillTables(client);
    await client.query('ANALYZE');
    // As in larger tables. In these, the planner reads all rows rather than look up the 100 that it expects of a JSON array.
    await client.query(
      'SET enable_hashjoin = off; SET enable_mergejoin = off; RESET enable_sort; RESET enable_incremental_sort',
    );
    await prepareAll();
    const sweeps = {
      'cancel deliveries to deleted endpoints': [
        'deliveries_due_idx (endpoint_id)',
        'deliveries_held_idx () of all merchants',
      ],
      'enqueue orders of referrals that need a pass': ['referrals_not_enqueued_idx () of all merchants'],
      'enqueue orders whose hold has ended': ['rewards_hold_idx (confirm_due_at) of all merchants'],
      'enqueue orders that begin to count as paid': [
        'orders_paid_later_idx (counts_as_paid_at) of all merchants',
      ],
      'list endpoints with due deliveries': ['deliveries_retry_idx (retry_at) of all merchants'],
      'lock a replay that is due': ['replays_running_idx (next_at) of all merchants'],
      'move orders of aliases': ['member_aliases_not_moved_idx () of all merchants'],
      'release held deliveries': ['deliveries_held_idx () of all merchants'],
    };
    // They read all rows of a merchant, and the planner joins them as the sample of ANALYZE suggests.
    const readingEntireMerchants = new Set(['export rewards', 'list orders to simulate']);
    // The index has only the events that have no position yet.
    const notNumbered = ['events_merchant_id_sequence_idx (merchant_id)'];
    expect(await looseScans(statements.filter(({ name }) => !readingEntireMerchants.has(name)))).toEqual({
      ...sweeps,
      'find events without a position': notNumbered,
      'find the oldest event without a position': notNumbered,
      'number events': notNumbered,
      'hold the deliveries of an endpoint': ['deliveries_due_idx (endpoint_id)'],
      'record attempts': byDeliveryId,
      'send deliveries of a replay again': byDeliveryId,
    });
  });

  it('The earliest paid orders are read from their index: the planner replaces the call of the function by its condition', async () => {
    await prepareAll();
    for (const name of ['list earliest paid orders', 'enqueue orders']) {
      const read = statements.find((one) => one.name === name);
      const scans = read ? await scansOf(read) : [];
      expect(scans.map(({ index }) => index)).toContain('orders_paid_idx');
    }
  });

  it('A merchant that was created after the last ANALYZE is read by a key, too', async () => {
    await client.query('RESET ALL; SET plan_cache_mode = force_custom_plan');
    await prepareAll();
    expect(await looseScans(statements.filter(({ name }) => kept.has(name)))).toEqual({
      'record attempts': byDeliveryId,
    });
  });
});
