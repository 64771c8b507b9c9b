import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { eventBody } from '../load/event-body.ts';
import type { Task } from '../tasks/open-task.ts';
import type { PeerDelivery } from './delivery.ts';
import type { Endpoints, System } from './system.ts';

/** The half of a peer that adds jobs. */
export interface PeerQueue {
  /** Adds jobs that wait until the returned function is called. */
  hold(deliveries: PeerDelivery[]): Promise<() => Promise<void>>;
  add(deliveries: PeerDelivery[]): Promise<void>;
  close(): Promise<void>;
}

/** A peer as a system: its queue, and its worker, whose calls return the number of deliveries that succeeded. */
export function openPeer(
  name: string,
  { sql, receiverUrl }: { sql: Client; receiverUrl: string },
  queue: PeerQueue,
  worker: Task<null, number>,
): System {
  return {
    name,
    pid: worker.pid,
    async addEndpoints({ healthy, hangs }) {
      const endpoints = [
        ...Array.from({ length: healthy }, () => newEndpoint(`${receiverUrl}/healthy`)),
        ...Array.from({ length: hangs }, () => newEndpoint(`${receiverUrl}/hangs`)),
      ];
      const ids = endpoints.slice(0, healthy).map(({ endpointId }) => endpointId);
      const before = await worker.call();
      let due = 0;
      const makeDue = (each: number) => {
        due += healthy * each;
        const dueAt = Date.now();
        const deliveries = endpoints.map((endpoint) =>
          Array.from({ length: each }, () => ({ ...endpoint, deliveryId: randomUUID(), dueAt })),
        );
        return deliveries.flat();
      };
      return {
        hold: (each) => queue.hold(makeDue(each)),
        send: (each) => queue.add(makeDue(each)),
        areDone: async () => (await worker.call()) - before >= due,
        times: () => readTimes(sql, ids),
      } satisfies Endpoints;
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}

function newEndpoint(url: string): Omit<PeerDelivery, 'deliveryId' | 'dueAt'> {
  const endpointId = `whk_${randomUUID()}`;
  const signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  return { endpointId, url: `${url}/${endpointId}`, signingSecret, body: eventBody(endpointId) };
}

async function readTimes(sql: Client, endpointIds: string[]): Promise<number[]> {
  const { rows } = await sql.query<{ ms: number }>(
    `SELECT extract(epoch FROM started_at - due_at)::float8 * 1000 + duration_ms AS ms
     FROM peers.attempts WHERE endpoint_id = ANY($1) AND status = 204`,
    [endpointIds],
  );
  return rows.map(({ ms }) => ms);
}
