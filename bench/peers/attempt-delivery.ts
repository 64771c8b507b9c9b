import { createHmac } from 'node:crypto';
import { Pool } from 'pg';
import { Agent } from 'undici';
import { attemptTimeoutMs } from './delivery.ts';
import type { PeerDelivery } from './delivery.ts';

/** What the workers of both peers do for a job. */
export interface Attempter {
  /** Signs and POSTs a delivery and stores the attempt. @throws when it failed, so that the queue retries it. */
  attempt(delivery: PeerDelivery, number: number): Promise<void>;
  /** The number of attempts that succeeded and are stored. */
  succeeded(): number;
}

const insertAttempt = {
  name: 'insert-attempt',
  text: `INSERT INTO peers.attempts
      (delivery_id, endpoint_id, number, due_at, started_at, duration_ms, status, error, response_body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

/**
 * Opens what attempts share: a pool of connections to the database, undici's connections to the receivers, which are kept
 * alive, and the decoded signing keys.
 */
export function openAttempter(databaseUrl: string, connections: number): Attempter {
  const database = new Pool({ connectionString: databaseUrl, max: connections });
  const receivers = new Agent({ headersTimeout: attemptTimeoutMs, bodyTimeout: attemptTimeoutMs });
  const keys = new Map<string, Buffer>();
  let succeeded = 0;

  const keyOf = (secret: string) => {
    const key = keys.get(secret) ?? Buffer.from(secret.slice('whsec_'.length), 'base64');
    keys.set(secret, key);
    return key;
  };
  /** POSTs with the three headers of Standard Webhooks, and returns the status and the body of the response. */
  const post = async ({ deliveryId, url, signingSecret, body }: PeerDelivery) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = `${deliveryId}.${timestamp}.${body}`;
    const { origin, pathname } = new URL(url);
    const response = await receivers.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': deliveryId,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${createHmac('sha256', keyOf(signingSecret)).update(signed).digest('base64')}`,
      },
      body,
    });
    return { status: response.statusCode, text: await response.body.text() };
  };

  return {
    async attempt(delivery, number) {
      const startedAt = Date.now();
      const result: { status?: number; text?: string; error?: string } = await post(delivery).catch(
        (error: unknown) => ({ error: String(error) }),
      );
      await database.query({
        ...insertAttempt,
        values: [
          delivery.deliveryId,
          delivery.endpointId,
          number,
          new Date(delivery.dueAt),
          new Date(startedAt),
          Date.now() - startedAt,
          result.status,
          result.error,
          result.text,
        ],
      });
      if (result.error !== undefined) throw new Error(result.error);
      if (result.status !== 204) throw new Error(`the receiver responded with ${result.status}`);
      succeeded += 1;
    },
    succeeded: () => succeeded,
  };
}
