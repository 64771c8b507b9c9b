import { claimDeliveries, disableEndpoint, findSendableEndpoint, pauseEndpoint } from '@rewardhook/database';
import type { AttemptRow, Database, Sealer, SendableEndpoint } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import type { WebhookClient } from '@rewardhook/webhook';
import { attemptDelivery, signingSecrets } from './attempt-delivery.ts';
import type { AttemptVerdict } from './attempt-result.ts';

/** The longest exchange, and how long a taken delivery is left to its worker. */
const longestExchangeSeconds = 15;
const leaseSeconds = 30;
/** Deliveries that are taken at once for each request in flight. */
const claimsPerLane = 8;
/** After so long an endpoint goes back to the end of the queue, so that the others get their turn. */
const turnMs = 1_000;

export interface Served {
  attempts: number;
  delivered: number;
}

/** The deliver stage: sends an endpoint what is due to it, until nothing is or its turn is over. */
export function serveEndpoint(options: {
  database: Database;
  sealer: Sealer;
  client: WebhookClient;
  /** Resolves when the attempt is stored. */
  record(attempt: AttemptRow): Promise<void>;
  delivery: Producer<'webhook-delivery'>;
  /** Requests in flight to one endpoint. */
  endpointConcurrency: number;
  ending: AbortSignal;
  log: Logger;
}): (job: Jobs['webhook-delivery']) => Promise<Served> {
  const { database, sealer, client, record, delivery, endpointConcurrency, ending, log } = options;

  return async ({ merchantId, endpointId }) => {
    const served: Served = { attempts: 0, delivered: 0 };
    const turnEnds = performance.now() + turnMs;
    while (!ending.aborted) {
      const endpoint = await findSendableEndpoint(database, merchantId, endpointId);
      if (!endpoint) return served;
      if (performance.now() > turnEnds) break;
      const verdicts = await sendDue(endpoint);
      if (verdicts.length === 0) return served;
      served.attempts += verdicts.length;
      served.delivered += verdicts.filter(({ row }) => row.state === 'delivered').length;
      await heed(endpoint, verdicts);
    }
    await delivery.enqueue([{ merchantId, endpointId }]);
    return served;
  };

  /** Sends one claim's worth, so many requests at a time. What it does not get to comes due again by its lease. */
  async function sendDue(endpoint: SendableEndpoint): Promise<AttemptVerdict[]> {
    const mayStartUntil = performance.now() + (leaseSeconds - longestExchangeSeconds) * 1_000;
    const claimed = await claimDeliveries(database, endpoint.merchantId, endpoint.id, {
      limit: endpointConcurrency * claimsPerLane,
      leaseSeconds,
    });
    const signing = claimed.length > 0 ? signingSecrets(endpoint, sealer) : undefined;
    const verdicts: AttemptVerdict[] = [];
    const stored: Promise<unknown>[] = [];
    const waiting = claimed[Symbol.iterator]();
    let silenced = false;
    const runLane = async () => {
      for (const one of waiting) {
        const verdict = await attemptDelivery(client, endpoint, signing, one);
        verdicts.push(verdict);
        const storing = record(verdict.row);
        // Its failure is met below, when all are waited for.
        storing.catch(() => undefined);
        stored.push(storing);
        silenced ||= wantsSilence(verdict);
        if (silenced || ending.aborted || performance.now() > mayStartUntil) return;
      }
    };
    await Promise.all(Array.from({ length: Math.min(endpointConcurrency, claimed.length) }, runLane));
    await Promise.all(stored);
    return verdicts;
  }

  /** Does what the receiver asked for: leave it alone for a while, or for good. */
  async function heed(endpoint: SendableEndpoint, verdicts: AttemptVerdict[]): Promise<void> {
    const { merchantId, id } = endpoint;
    if (verdicts.some(({ gone }) => gone)) {
      await disableEndpoint(database, merchantId, id, 'The receiver answered 410 Gone.');
      log.warn('an endpoint is disabled: it answered 410 Gone', { merchantId, endpointId: id });
    }
    const pauseSeconds = Math.max(0, ...verdicts.map((verdict) => verdict.pauseSeconds ?? 0));
    if (pauseSeconds > 0) await pauseEndpoint(database, merchantId, id, pauseSeconds);
  }
}

/** Whether the receiver asked not to be called for now. */
function wantsSilence({ gone, pauseSeconds }: AttemptVerdict): boolean {
  return gone || pauseSeconds !== undefined;
}
