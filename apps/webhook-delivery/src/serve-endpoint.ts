import { claimDeliveries, findSendableEndpoint, releaseDeliveries } from '@rewardhook/database';
import type { AttemptRow, ClaimedDelivery, Database, Sealer, SendableEndpoint } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { WebhookClient } from '@rewardhook/webhook';
import { attemptDelivery, signingSecrets } from './attempt-delivery.ts';
import type { AttemptVerdict } from './attempt-result.ts';
import { openTurn } from './endpoint-turn.ts';
import type { EndpointTurn, TurnResult } from './endpoint-turn.ts';
import { runLanes } from './run-lanes.ts';

/** The longest exchange, and how long a taken delivery is left to its worker. */
const longestExchangeSeconds = 15;
const leaseSeconds = 30;
/** Attempts that may wait to be stored while further ones are made. */
const mostUnstored = 1_000;

/** A delivery that was taken, and until when it may be sent. */
interface Taken extends ClaimedDelivery {
  startUntil: number;
}

export interface Served {
  attempts: number;
  delivered: number;
}

/** The deliver stage: sends an endpoint what is due to it, as fast as it can take it, until nothing is left. */
export function serveEndpoint(options: {
  database: Database;
  sealer: Sealer;
  client: WebhookClient;
  /** Resolves when the attempt is stored. */
  record(attempt: AttemptRow): Promise<void>;
  /** Stores what a turn has shown of the endpoint, and does what follows. */
  conclude(endpoint: SendableEndpoint, turn: TurnResult): Promise<void>;
  delivery: Producer<'webhook-delivery'>;
  /** Most requests in flight to one endpoint. */
  endpointConcurrency: number;
  ending: AbortSignal;
}): (job: Jobs['webhook-delivery']) => Promise<Served> {
  const { database, sealer, client, record, conclude, delivery, endpointConcurrency, ending } = options;

  return async ({ merchantId, endpointId }) => {
    const endpoint = await findSendableEndpoint(database, merchantId, endpointId);
    if (!endpoint) return { attempts: 0, delivered: 0 };
    const turn = openTurn(endpoint, { most: endpointConcurrency, ending });
    const served = await sendDue(endpoint, turn);
    const result = turn.result();
    await conclude(endpoint, result);
    if (result.goOn) await delivery.enqueue([{ merchantId, endpointId }]);
    return served;
  };

  async function sendDue(endpoint: SendableEndpoint, turn: EndpointTurn): Promise<Served> {
    const signing = signingSecrets(endpoint, sealer);
    const served: Served = { attempts: 0, delivered: 0 };
    const unstored = new Set<Promise<void>>();
    let storing: unknown;

    const store = (verdict: AttemptVerdict) => {
      const stored = record(verdict.row)
        .catch((error: unknown) => void (storing ??= error))
        .finally(() => unstored.delete(stored));
      unstored.add(stored);
      return stored;
    };
    await runLanes<Taken>({
      limit: turn.limit,
      open: () => turn.open() && storing === undefined,
      take: (count) => take(endpoint, turn.allow(count)),
      stale: ({ startUntil }) => performance.now() > startUntil,
      giveBack: (left) => releaseDeliveries(database, endpoint.merchantId, left),
      async send(one, inFlight) {
        const startedAt = performance.now();
        const verdict = await attemptDelivery(client, endpoint, signing, one, turn.probe);
        turn.learn(verdict, { startedAt, inFlight });
        served.attempts += 1;
        if (verdict.verdict === 'success') served.delivered += 1;
        const stored = store(verdict);
        if (unstored.size > mostUnstored) await stored;
      },
    });
    await Promise.all(unstored);
    if (storing !== undefined) throw storing;
    return served;
  }

  async function take(endpoint: SendableEndpoint, count: number): Promise<Taken[]> {
    if (count === 0) return [];
    const startUntil = performance.now() + (leaseSeconds - longestExchangeSeconds) * 1_000;
    const claimed = await claimDeliveries(database, endpoint.merchantId, endpoint.id, {
      limit: count,
      leaseSeconds,
    });
    return claimed.map((one) => ({ ...one, startUntil }));
  }
}
