import type { History } from './ledger/read-history.ts';

/** Redis was killed or frozen. */
export interface RedisOutage {
  /** The times of the answers 503 to orders that were sent meanwhile, in milliseconds. */
  answersMs: number[];
  /** From the beginning of the outage to the next 202; undefined when nothing was accepted afterwards. */
  acceptedAfterMs: number | undefined;
}

/** The outages of Redis in a run during which orders were sent. */
export function redisOutages({ faults, shops }: History): RedisOutage[] {
  const calls = shops.flatMap((shop) => shop.calls.filter(({ call }) => call === 'sync'));
  return faults
    .filter(({ target, fault }) => target === 'redis' && (fault === 'kill' || fault === 'freeze'))
    .map(({ at, ended }) => {
      const sent = calls.filter(({ sentAt }) => sentAt >= at);
      const accepted = sent.filter(({ outcome }) => outcome === 'ok').map(({ endedAt }) => endedAt - at);
      return {
        answersMs: sent
          .filter(({ sentAt, status }) => sentAt <= ended && status === 503)
          .map(({ sentAt, endedAt }) => endedAt - sentAt),
        acceptedAfterMs: accepted.length === 0 ? undefined : Math.min(...accepted),
      };
    })
    .filter(({ answersMs }) => answersMs.length > 0);
}

/** The value below which this share of the values is, rounded; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
