import { newId } from '@rewardhook/contract';
import type { Bench } from './bench.ts';

/** How an endpoint of a crowd answers; see load/receiver.ts. */
export type Manner = 'healthy' | 'others' | 'slow' | 'fails' | 'hangs';

/** Endpoints of many merchants. */
export interface EndpointCrowd {
  /** Makes one delivery due to each of these endpoints, as the evaluate stage would, and wakes their delivery. */
  send(members: { merchantId: string; endpointId: string }[], each: number): Promise<void>;
  all: { merchantId: string; endpointId: string; manner: Manner }[];
  /** Milliseconds from being due to the stored answer, of the deliveries to the healthy ones since a moment. */
  healthyTimes(since: Date): Promise<number[]>;
  /** Deliveries to the healthy ones that wait. */
  healthyWaiting(): Promise<number>;
}

/**
 * Makes a number of endpoints of each kind and shuffles them over merchants with a fixed number each. None is new: new
 * endpoints are rate limited.
 */
export async function openEndpointCrowd(
  bench: Bench,
  url: string,
  counts: Record<Manner, number>,
  endpointsPerMerchant = 10,
): Promise<EndpointCrowd> {
  const { sql } = bench;
  const manners = Object.entries(counts).flatMap(([manner, count]) =>
    Array<Manner>(count).fill(manner as Manner),
  );
  // Spread evenly: every merchant has some of each manner.
  const spread = manners.map((manner, index) => ({ manner, place: (index * 7_919) % manners.length }));
  spread.sort((one, other) => one.place - other.place);
  const all: EndpointCrowd['all'] = [];
  let merchantId = '';
  for (const [index, { manner }] of spread.entries()) {
    if (index % endpointsPerMerchant === 0)
      ({ merchantId } = await bench.shop(`bench crowd ${newId('run')}`));
    all.push({ merchantId, endpointId: newId('whk'), manner });
  }
  await sql.query(
    `INSERT INTO endpoints (id, merchant_id, url, event_types, first_success_at)
     SELECT e."endpointId", e."merchantId", $2 || '/' || e.manner || '/' || e."endpointId", '{reward.issue}', now()
     FROM jsonb_to_recordset($1::jsonb) AS e ("endpointId" text, "merchantId" text, manner text)`,
    [JSON.stringify(all), url],
  );
  const healthy = all.filter(({ manner }) => manner === 'healthy').map(({ endpointId }) => endpointId);

  return {
    all,
    async send(members, each) {
      await sql.query(
        `WITH told AS (
           SELECT e."merchantId", e."endpointId", 'evt_' || gen_random_uuid() AS id
           FROM jsonb_to_recordset($1::jsonb) AS e ("endpointId" text, "merchantId" text), generate_series(1, $2::int)
         ), stored AS (
           INSERT INTO events (merchant_id, id, type, body)
           SELECT "merchantId", id, 'reward.issue', jsonb_build_object('id', id, 'data', repeat('x', 500))::text FROM told
         )
         INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id)
         SELECT gen_random_uuid(), "merchantId", id, "endpointId" FROM told`,
        [JSON.stringify(members), each],
      );
      await bench.delivery.enqueue(
        members.map(({ merchantId: merchant, endpointId }) => ({ merchantId: merchant, endpointId })),
      );
    },
    async healthyTimes(since) {
      const { rows } = await sql.query<{ ms: number }>(
        `SELECT extract(epoch FROM a.started_at - d.created_at)::float8 * 1000 + (a.timings ->> 'totalMs')::float8 AS ms
         FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
         WHERE d.endpoint_id = ANY($1) AND d.created_at >= $2`,
        [healthy, since],
      );
      return rows.map(({ ms }) => ms);
    },
    async healthyWaiting() {
      const { rows } = await sql.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM deliveries WHERE endpoint_id = ANY($1) AND state = 'pending'`,
        [healthy],
      );
      return rows[0]?.count ?? 0;
    },
  };
}
