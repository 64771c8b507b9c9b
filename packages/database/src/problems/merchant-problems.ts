import type { Queryable, Sql } from '../client/client.ts';
import { listPage, openConditions } from '../reads/list-page.ts';
import type { ListPage, PageRequest } from '../reads/list-page.ts';
import type { ProblemKind } from '../states.ts';
import { problemColumns } from './problems.ts';
import type { ProblemRow } from './problems.ts';

/** A problem of a merchant, with the name and the host of the webhook that it is about: its path may be a secret. */
export type MerchantProblemRow = ProblemRow & { webhook_name: string | null; webhook_host: string | null };

/** Which problems of a merchant to list. An omitted field selects all. */
interface MerchantProblemSearch {
  state: 'open' | 'resolved' | 'all';
  kind?: ProblemKind | undefined;
  subject?: string | undefined;
}

const conditionOf = {
  open: ' AND resolved_at IS NULL',
  resolved: ' AND resolved_at IS NOT NULL',
  all: '',
} as const satisfies Record<MerchantProblemSearch['state'], string>;

const webhook = (column: 'name' | 'url') =>
  `(SELECT ${column} FROM endpoints p WHERE p.merchant_id = problems.merchant_id AND p.id = problems.subject)`;
const columns = `${problemColumns}, ${webhook('name')} AS webhook_name, ${webhook('url')} AS url`;

/**
 * A page of a merchant's problems: those that were opened last first, or of the resolved ones those that were resolved last.
 * @throws CursorError
 */
export async function listMerchantProblems(
  database: Sql,
  merchantId: string,
  { state, kind, subject }: MerchantProblemSearch,
  page: PageRequest,
): Promise<ListPage<MerchantProblemRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('kind = ?', kind);
  conditions.add('subject = ?', subject);
  const { sql, values } = conditions;
  const from = `FROM problems WHERE merchant_id = $1${conditionOf[state]}${sql}`;
  const time = state === 'resolved' ? 'problems.resolved_at' : 'problems.opened_at';
  const query = { columns, from, values, time, id: 'id' };
  const { items, next } = await listPage<Omit<MerchantProblemRow, 'webhook_host'> & { url: string | null }>(
    database,
    query,
    page,
  );
  return {
    items: items.map(({ url, ...row }) => ({
      ...row,
      webhook_host: url === null ? null : new URL(url).host,
    })),
    next,
  };
}

/** The number of a merchant's open problems. */
export async function countMerchantProblems(database: Queryable, merchantId: string): Promise<number> {
  const [row] = await database.query<{ number: number }>(
    'SELECT count(*)::int AS number FROM problems WHERE merchant_id = $1 AND resolved_at IS NULL',
    [merchantId],
  );
  return row?.number ?? 0;
}
