import { newId } from '@rewardhook/contract';
import { eventBody } from '../load/event-body.ts';
import type { Bench } from './bench.ts';

/** How the receiver of an endpoint responds; see load/receiver.ts. */
export type ReceiverBehaviour = 'healthy' | 'others' | 'slow' | 'fails' | 'hangs';

/** The ids of an endpoint and of its merchant. */
export interface Endpoint {
  merchantId: string;
  endpointId: string;
}

/** Endpoints of many merchants. */
export interface EndpointGroup {
  /** Inserts due deliveries for each of these endpoints, as the evaluation stage does, and adds their jobs. */
  send(targets: Endpoint[], each: number): Promise<void>;
  /** The first half of `send`: only the rows. */
  insert(targets: Endpoint[], each: number): Promise<void>;
  /** The second half of `send`: a job for each of these endpoints. */
  enqueue(targets: Endpoint[]): Promise<void>;
  all: (Endpoint & { behaviour: ReceiverBehaviour })[];
  /** Milliseconds from due to the end of the attempt, for the deliveries to healthy endpoints since then. */
  healthyTimes(since: Date): Promise<number[]>;
  /** Pending deliveries to healthy endpoints. */
  healthyWaiting(): Promise<number>;
}

/**
 * Inserts a number of endpoints of each kind and spreads them over merchants with a fixed number each. Each has had a
 * success, because new endpoints are rate limited.
 */
export async function openEndpointGroup(
  bench: Bench,
  url: string,
  counts: Record<ReceiverBehaviour, number>,
  endpointsPerMerchant = 10,
): Promise<EndpointGroup> {
  const { sql } = bench;
  const behaviours = Object.entries(counts).flatMap(([behaviour, count]) =>
    Array<ReceiverBehaviour>(count).fill(behaviour as ReceiverBehaviour),
  );
  // Spread evenly: every merchant has some of each behaviour.
  const spread = behaviours.map((behaviour, index) => ({
    behaviour,
    order: (index * 7_919) % behaviours.length,
  }));
  spread.sort((one, other) => one.order - other.order);
  const all: EndpointGroup['all'] = [];
  let merchantId = '';
  for (const [index, { behaviour }] of spread.entries()) {
    if (index % endpointsPerMerchant === 0)
      ({ merchantId } = await bench.createMerchant(`bench endpoints ${newId('run')}`));
    all.push({ merchantId, endpointId: newId('whk'), behaviour });
  }
  await sql.query(
    `INSERT INTO endpoints (id, merchant_id, url, event_types, first_success_at)
     SELECT e."endpointId", e."merchantId", $2 || '/' || e.behaviour || '/' || e."endpointId", '{reward.issue}', now()
     FROM jsonb_to_recordset($1::jsonb) AS e ("endpointId" text, "merchantId" text, behaviour text)`,
    [JSON.stringify(all), url],
  );
  const healthy = all.filter(({ behaviour }) => behaviour === 'healthy').map(({ endpointId }) => endpointId);

  const insert: EndpointGroup['insert'] = async (targets, each) => {
    await sql.query(
      `WITH made AS (
         SELECT e."merchantId", e."endpointId", 'evt_' || gen_random_uuid() AS id
         FROM jsonb_to_recordset($1::jsonb) AS e ("endpointId" text, "merchantId" text), generate_series(1, $2::int)
       ), stored AS (
         INSERT INTO events (merchant_id, id, type, body, created_at)
         SELECT "merchantId", id, 'reward.issue', $3, now() FROM made
       )
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id)
       SELECT gen_random_uuid(), "merchantId", id, now(), "endpointId" FROM made`,
      [JSON.stringify(targets), each, eventBody('mer_endpoint_group')],
    );
  };
  const enqueue: EndpointGroup['enqueue'] = (targets) =>
    bench.delivery.enqueue(
      targets.map(({ merchantId: merchant, endpointId }) => ({ merchantId: merchant, endpointId })),
    );

  return {
    all,
    insert,
    enqueue,
    async send(targets, each) {
      await insert(targets, each);
      await enqueue(targets);
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
