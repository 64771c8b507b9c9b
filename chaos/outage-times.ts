import type { History } from './ledger/read-history.ts';

/** Redis was killed, stopped or frozen. */
export interface RedisOutage {
  /** The times of the answers 503 to orders that were sent meanwhile, in milliseconds. */
  answersMs: number[];
  /** From the beginning of the outage to the first 202 after a 503; undefined when nothing was accepted any more. */
  acceptedAfterMs: number | undefined;
}

/** The outages of Redis in a run during which orders were sent. */
export function redisOutages({ faults, shops }: History): RedisOutage[] {
  const calls = shops.flatMap((shop) => shop.calls.filter(({ call }) => call === 'sync'));
  return faults
    .filter(({ target, fault }) => target === 'redis' && ['kill', 'stop', 'freeze'].includes(fault))
    .map(({ at, ended }) => {
      const refused = calls.filter(({ sentAt, status }) => sentAt >= at && sentAt <= ended && status === 503);
      const from = refused[0]?.sentAt ?? Number.POSITIVE_INFINITY;
      const accepted = calls.filter(({ sentAt, outcome }) => sentAt > from && outcome === 'ok');
      const first = accepted.reduce(
        (least, { endedAt }) => Math.min(least, endedAt),
        Number.POSITIVE_INFINITY,
      );
      return {
        answersMs: refused.map(({ sentAt, endedAt }) => endedAt - sentAt),
        acceptedAfterMs: Number.isFinite(first) ? first - at : undefined,
      };
    })
    .filter(({ answersMs }) => answersMs.length > 0);
}

/** The value below which this share of the values is, rounded; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
