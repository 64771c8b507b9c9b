import { claimDeliveries, recordAttempts } from '@rewardhook/database';
import type { ClaimedDelivery } from '@rewardhook/database';
import type { Figure } from '../../report/figure.ts';
import { profile } from '../../report/profile.ts';
import { comparedFigure, compareSites } from './processor-time.ts';
import type { Site } from './site.ts';

const section = 'Growth: processor time of PostgreSQL for 10,000 deliveries';
/** Claimed and recorded by one statement each, of ten endpoints. */
const perClaim = 20;
const endpointsAtOnce = 10;

/** Compares claiming deliveries and recording their attempts on empty and on full tables. */
export async function measureDeliveries(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count }: { rounds: number; count: number },
): Promise<Figure[]> {
  const endpoints = new Map<Site, { id: string; merchantId: string; url: string }[]>();
  for (const site of Object.values(sites)) {
    const { rows } = await site.sql.query<{ id: string; merchantId: string; url: string }>(
      'SELECT id, merchant_id AS "merchantId", url FROM endpoints WHERE merchant_id = ANY($1) ORDER BY id LIMIT $2',
      [site.merchants.map(({ id }) => id), endpointsAtOnce],
    );
    endpoints.set(site, rows);
  }
  const compared = await compareSites(pid, sites, rounds, {
    count,
    async prepare(site) {
      if (site.name === 'empty') await site.sql.query('TRUNCATE events, deliveries, attempts');
      const own = endpoints.get(site) as { id: string; merchantId: string }[];
      await site.sql.query(
        `WITH made AS (
           SELECT e.id AS endpoint_id, e.merchant_id, 'evt_' || substr(md5(gen_random_uuid()::text), 1, 22) AS id, now() AS at
           FROM unnest($1::text[], $2::text[]) AS e (id, merchant_id), generate_series(1, $3::int)
         ), stored AS (
           INSERT INTO events (merchant_id, id, type, body, created_at)
           SELECT merchant_id, id, 'reward.issue', repeat('{"data":"0123456789"}', 30), at FROM made
         )
         INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id)
         SELECT gen_random_uuid(), merchant_id, id, at, endpoint_id FROM made`,
        [own.map(({ id }) => id), own.map(({ merchantId }) => merchantId), count / own.length],
      );
      await site.sql.query('ANALYZE deliveries');
    },
    async run(site) {
      const own = endpoints.get(site) as { id: string; merchantId: string; url: string }[];
      const claims = own.map(({ id, merchantId, url }) => ({
        endpointId: id,
        merchantId,
        url,
        limit: perClaim,
      }));
      for (let claimed = 1; claimed > 0;) {
        const results = await claimDeliveries(site.database, claims, 60);
        const deliveries = results.flatMap((result) => result.deliveries);
        claimed = deliveries.length;
        if (claimed > 0) await recordAttempts(site.database, deliveries.map(attemptOf));
      }
    },
  });
  return [
    comparedFigure(
      section,
      'claimed, and an attempt recorded',
      compared,
      { of: 'ratio', atMost: 1.3 },
      profile.growthOfDeliveries,
    ),
  ];
}

function attemptOf({ id, merchantId, leaseExpiresAt }: ClaimedDelivery) {
  return {
    deliveryId: id,
    merchantId,
    leaseExpiresAt,
    startedAt: new Date().toISOString(),
    url: 'https://shop.example/one',
    status: 200,
    errorClass: null,
    errorMessage: null,
    timings: { totalMs: 42, connectMs: 10 },
    responseBody: 'ok',
    requestHeaders: { 'content-type': 'application/json' },
    advancesSchedule: true,
    state: 'delivered' as const,
    retryInSeconds: null,
  };
}
