import type { Queryable } from '../client/client.ts';

/** What was counted of a webhook over a span of time. Test events do not count. */
export interface WebhookHealthSpan {
  days: number;
  attempts: number;
  succeeded: number;
  /** The median and the 95th percentile of the durations in milliseconds, rounded up to a limit of the counts; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
  /** The attempts that failed, the most frequent first: `outcome` is the status, or why there was no response. */
  failures: { outcome: string; total: number }[];
}

export interface WebhookHealthRow {
  /** Attempts that started since then are not counted yet. ISO 8601 in UTC. */
  counted_until: string;
  /** The last day, week and 30 days. */
  spans: WebhookHealthSpan[];
}

const spanDays = [1, 7, 30];

/** The counts of each outcome and duration in the spans, each row in the shortest span that it belongs to. $1 merchant id, $2 endpoint id */
const countsSql = `
  SELECT CASE WHEN starts_at > now() - interval '1 day' THEN 1 WHEN starts_at > now() - interval '7 days' THEN 7 ELSE 30 END AS days,
    outcome, within_ms, sum(total)::float8 AS total
  FROM attempt_counts
  WHERE merchant_id = $1 AND endpoint_id = $2 AND starts_at > now() - interval '30 days'
  GROUP BY 1, 2, 3`;

interface CountRow {
  days: number;
  outcome: string;
  within_ms: number;
  total: number;
}

/** Reads the health of a webhook as housekeeping counted it last. */
export async function readWebhookHealth(
  database: Queryable,
  merchantId: string,
  endpointId: string,
): Promise<WebhookHealthRow> {
  const [progress] = await database.query<{ until: string }>(
    'SELECT rules.iso_utc(counted_until) AS until FROM attempt_progress',
  );
  const counts = await database.query<CountRow>(countsSql, [merchantId, endpointId]);
  return {
    counted_until: progress?.until as string,
    spans: spanDays.map((days) =>
      summarize(
        days,
        counts.filter((row) => row.days <= days),
      ),
    ),
  };
}

const isSuccess = (outcome: string) => /^2\d\d$/.test(outcome);
const sum = (rows: CountRow[]) => rows.reduce((total, row) => total + row.total, 0);

function summarize(days: number, rows: CountRow[]): WebhookHealthSpan {
  const attempts = sum(rows);
  const failures = new Map<string, number>();
  for (const { outcome, total } of rows)
    if (!isSuccess(outcome)) failures.set(outcome, (failures.get(outcome) ?? 0) + total);
  return {
    days,
    attempts,
    succeeded: sum(rows.filter(({ outcome }) => isSuccess(outcome))),
    p50_ms: percentile(rows, attempts * 0.5),
    p95_ms: percentile(rows, attempts * 0.95),
    failures: [...failures]
      .map(([outcome, total]) => ({ outcome, total }))
      .toSorted((one, other) => other.total - one.total || one.outcome.localeCompare(other.outcome)),
  };
}

/** The lowest limit within which at least a number of attempts ended. */
function percentile(rows: CountRow[], attempts: number): number | null {
  let ended = 0;
  for (const row of rows.toSorted((one, other) => one.within_ms - other.within_ms)) {
    ended += row.total;
    if (ended >= attempts) return row.within_ms;
  }
  return null;
}
