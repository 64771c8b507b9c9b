import type { ClaimedDelivery, Sealer, SendableEndpoint } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { WebhookClient } from '@rewardhook/webhook';
import { attemptDelivery } from './attempt-delivery.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';
import { keepCurrent } from './current-endpoint.ts';
import type { CurrentEndpoint } from './current-endpoint.ts';
import { leaseSeconds } from './delivery-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { openTurn } from './endpoint-turn.ts';
import type { EndpointTurn, TurnResult } from './endpoint-turn.ts';
import { openGate } from './gate.ts';
import { runLanes } from './run-lanes.ts';

/** The longest exchange: a taken delivery may start as long as it ends within its lease. */
const longestExchangeSeconds = 15;
/**
 * Requests that are begun at once in this process, all endpoints together; after `heldMs` one counts no more. Without it
 * a thousand endpoints with a backlog begin tens of thousands at the same moment, and none is done for seconds.
 */
const beginning = { places: 256, heldMs: 100 };
/** Deliveries that are taken ahead for each lane, while so many endpoints are served; beyond, fewer: memory counts. */
const takenAhead = { few: { endpoints: 50, each: 8 }, each: 2 };
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
  store: DeliveryStore;
  sealer: Sealer;
  client: WebhookClient;
  /** Stores what a turn has shown of the endpoint, and does what follows. */
  conclude(endpoint: SendableEndpoint, turn: TurnResult): Promise<void>;
  delivery: Producer<'webhook-delivery'>;
  onAttempt(verdict: ClassifiedAttempt): void;
  /** Most requests in flight to one endpoint. */
  endpointConcurrency: number;
  /** Seconds between two requests to a new endpoint, until the first 2xx; 0 is no limit. */
  newEndpointSeconds: number;
  /** Ids of the endpoints that are being served; those need no waking. */
  serving: Set<string>;
  ending: AbortSignal;
}): (job: Jobs['webhook-delivery']) => Promise<Served> {
  const { store, sealer, client, conclude, delivery, onAttempt, serving, ending } = options;
  const { endpointConcurrency, newEndpointSeconds } = options;
  const gate = openGate(beginning);

  return async ({ merchantId, endpointId }) => {
    const find = () => store.find({ merchantId, endpointId });
    const readAt = performance.now();
    const endpoint = await find();
    if (!endpoint) return { attempts: 0, delivered: 0 };
    const turn = openTurn(endpoint, { most: endpointConcurrency, newEndpointSeconds, ending });
    const current = keepCurrent({ first: endpoint, readAt, sealer, find });
    serving.add(endpointId);
    const served = await sendDue(endpoint, current, turn).finally(() => serving.delete(endpointId));
    const result = turn.result();
    await conclude(endpoint, result);
    if (result.goOn) await delivery.enqueue([{ merchantId, endpointId }]);
    return served;
  };

  async function sendDue(
    endpoint: SendableEndpoint,
    current: CurrentEndpoint,
    turn: EndpointTurn,
  ): Promise<Served> {
    const served: Served = { attempts: 0, delivered: 0 };
    const unstored = new Set<Promise<void>>();
    let storing: unknown;

    const keep = (verdict: ClassifiedAttempt) => {
      const stored = store
        .record(verdict.row)
        .catch((error: unknown) => void (storing ??= error))
        .finally(() => unstored.delete(stored));
      unstored.add(stored);
      return stored;
    };
    await runLanes<Taken>({
      limit: turn.limit,
      open: () => turn.open() && storing === undefined,
      ahead: () => (serving.size <= takenAhead.few.endpoints ? takenAhead.few.each : takenAhead.each),
      take: (count) => take(endpoint, current, turn, turn.allow(count)),
      stale: ({ startUntil }) => performance.now() > startUntil,
      giveBack: (left) => store.release(left),
      async send(one, inFlight) {
        const leave = await gate.enter();
        const now = await current.get().catch((error: unknown) => {
          leave();
          throw error;
        });
        if (!now) {
          leave();
          turn.stop();
          return store.release([one]);
        }
        const startedAt = performance.now();
        const verdict = await attemptDelivery(client, now, one, turn.probe).finally(leave);
        turn.learn(verdict, { startedAt, inFlight });
        onAttempt(verdict);
        served.attempts += 1;
        if (verdict.verdict === 'success') served.delivered += 1;
        const stored = keep(verdict);
        if (unstored.size > mostUnstored) await stored;
      },
      // Also when no more can be taken: the endpoint is nobody else's until what was sent is stored.
    }).finally(() => Promise.all(unstored));
    if (storing !== undefined) throw storing;
    return served;
  }

  /** Takes what is due; retries that somebody asked for come first. */
  async function take(
    { merchantId, id: endpointId, url, manualRetriesOnly }: SendableEndpoint,
    current: CurrentEndpoint,
    turn: EndpointTurn,
    count: number,
  ): Promise<Taken[]> {
    if (count === 0) return [];
    const claim = { merchantId, endpointId, url, limit: count };
    let retries = (await current.get())?.endpoint.manualRetriesDue === true;
    while (turn.open()) {
      const startUntil = performance.now() + (leaseSeconds - longestExchangeSeconds) * 1_000;
      const { deliveries, expired } = await (retries ? store.claimManualRetries(claim) : store.claim(claim));
      if (deliveries.length > 0) return deliveries.map((one) => ({ ...one, startUntil }));
      // None, and some that expired: what is still worth sending waits behind them.
      if (expired > 0) continue;
      if (!retries || manualRetriesOnly) return [];
      retries = false;
    }
    return [];
  }
}
