import { setTimeout } from 'node:timers/promises';
import { webhookHost } from '@rewardhook/contract';
import {
  claimDeliveries,
  claimManualRetries,
  findSendableEndpoints,
  isDatabaseOutage,
  isDataError,
  recordAttempts,
  recordEndpointTransition,
  recordMissingAttempts,
  releaseDeliveries,
  reserveHostSlot,
  updateEndpointHealth,
} from '@rewardhook/database/stages';
import type {
  AttemptRecord,
  Claim,
  ClaimedDelivery,
  ClaimResult,
  EndpointHealthUpdate,
  EndpointKey,
  EndpointTransition,
  SendableEndpoint,
  Sql,
} from '@rewardhook/database/stages';
import { coalesce } from '@rewardhook/pipeline';
import { openSemaphore } from '@rewardhook/process';
import type { RequestTrace } from '@rewardhook/process';

/** The lease of a claimed delivery. A dispatch starts no request after 10 s, and a request takes at most 15 s. */
const leaseSeconds = 30;
/**
 * Maximum number of transitions that are recorded concurrently. Each is a transaction, and those of endpoints that
 * fail at the same time conflict.
 */
const concurrentTransitions = 2;
/**
 * Attempts that end within this time are recorded by one statement while there are many: an attempt in a statement of 20
 * costs PostgreSQL nearly twice as much as in one of 100. Only the end of a dispatch waits for the record.
 */
const recordSpacing = { afterItems: 16, ms: 25 };
/** Pauses between two tries to record attempts while PostgreSQL is unavailable: 0.25, 0.5, 1, 2, 2 … seconds. */
const firstRecordPauseMs = 250;
const longestRecordPauseMs = 2_000;

/**
 * The reads and writes of the deliver stage. Thousands of concurrent dispatches share their statements, so a few
 * connections to PostgreSQL suffice.
 */
export interface DeliveryStore {
  /** Finds an endpoint that may be sent to now. */
  findEndpoint(key: EndpointKey): Promise<SendableEndpoint | undefined>;
  /** Claims deliveries that are due. */
  claimDue(claim: Claim): Promise<ClaimResult>;
  /** Claims deliveries whose retry was requested by a person. */
  claimManualRetries(claim: Claim): Promise<ClaimResult>;
  /** Ends the lease of deliveries that were not sent: they are due again. */
  release(deliveries: ClaimedDelivery[]): Promise<void>;
  /**
   * Resolves when the attempt is recorded. Waits while PostgreSQL is unavailable. The request that caused the event is
   * logged.
   */
  record(attempt: AttemptRecord, requestId?: string): Promise<void>;
  /** Stores the health of an endpoint after a dispatch. */
  updateHealth(update: EndpointHealthUpdate): Promise<void>;
  /** Stores the health of an endpoint with a transition and its notices, in one transaction. */
  recordTransition(change: HealthTransition): ReturnType<typeof recordEndpointTransition>;
  /**
   * Reserves the next request to the host of a new endpoint that failed, and returns the seconds until then. The new
   * endpoints of a host share one rate, over all merchants.
   */
  reserveHostSlot(url: string): Promise<number>;
}

/** A transition with the health that it is stored with. */
export interface HealthTransition extends EndpointTransition {
  update: EndpointHealthUpdate;
}

export interface DeliveryStoreOptions {
  /** Seconds between two requests to the new endpoints of a host. */
  newEndpointSeconds: number;
  /** Whether a statement is about one merchant only; default false. */
  oneMerchant?: boolean;
  /** Called for each attempt once it is recorded. */
  onRecorded(attempt: AttemptRecord): void;
  /** Called for attempts that were recorded together, with the requests that caused their events. */
  onRequests?(attempts: AttemptRecord[], requests: RequestTrace[]): void;
  /** Called once when attempts cannot be recorded for now. */
  onOutage(error: unknown): void;
  /** After it has aborted, recording is tried once more and not repeated. */
  shutdown: AbortSignal;
}

const merchantOf = ({ merchantId }: { merchantId: string }) => merchantId;

/** Opens the store. */
export function openDeliveryStore(
  database: Sql,
  {
    newEndpointSeconds,
    oneMerchant = false,
    onRecorded,
    onRequests = () => undefined,
    onOutage,
    shutdown,
  }: DeliveryStoreOptions,
): DeliveryStore {
  // After an outage the items of a shared statement are not retried one by one: their jobs are retried. After an error that
  // one of them caused they are: otherwise one endpoint would get all of them parked.
  const retryIndividually = (error: unknown) => !isDatabaseOutage(error);
  // Without one merchant a statement, calls are not put into another order.
  const byMerchant = <I>(groupOf: (item: I) => string) => (oneMerchant ? { groupOf, oneGroup: true } : {});
  const shared = { maxWeight: 500, concurrency: 1, retryIndividually };
  const sharedByMerchant = { ...shared, ...byMerchant(merchantOf) };
  const transitions = openSemaphore({ permits: () => concurrentTransitions });

  let unavailable = false;
  // After an error it is unknown whether the statement was committed.
  const tried = new WeakSet<AttemptRecord>();
  const requestIds = new WeakMap<AttemptRecord, string>();
  const recordTogether = coalesce(
    async (attempts: AttemptRecord[]) => {
      const again = attempts.filter((attempt) => tried.has(attempt));
      const first = attempts.filter((attempt) => !tried.has(attempt));
      for (const attempt of first) tried.add(attempt);
      if (first.length > 0) await recordAttempts(database, first);
      if (again.length > 0) await recordMissingAttempts(database, again);
      unavailable = false;
      onRequests(
        attempts,
        attempts.map((attempt) => ({ requestId: requestIds.get(attempt) })),
      );
      return attempts.map(onRecorded);
    },
    { maxWeight: 500, concurrency: 2, spacing: recordSpacing, ...byMerchant(merchantOf) },
  );

  return {
    findEndpoint: coalesce((keys: EndpointKey[]) => findSendableEndpoints(database, keys), sharedByMerchant),

    claimDue: coalesce((claims: Claim[]) => claimDeliveries(database, claims, leaseSeconds), {
      maxWeight: 2_000,
      weightOf: ({ limit }) => limit,
      concurrency: 2,
      retryIndividually,
      ...byMerchant(merchantOf),
    }),

    claimManualRetries: coalesce(
      (claims: Claim[]) => claimManualRetries(database, claims, leaseSeconds),
      sharedByMerchant,
    ),

    release: coalesce(
      async (lists: ClaimedDelivery[][]) => {
        await releaseDeliveries(database, lists.flat());
        return lists.map(() => undefined);
      },
      { ...shared, ...byMerchant(([first]) => first?.merchantId ?? '') },
    ),

    // Only this process knows that the delivery was sent: an attempt that is not recorded is sent again.
    async record(attempt, requestId) {
      if (requestId !== undefined) requestIds.set(attempt, requestId);
      for (let pauseMs = firstRecordPauseMs; ; pauseMs = Math.min(longestRecordPauseMs, pauseMs * 2)) {
        const lastTry = shutdown.aborted;
        try {
          return await recordTogether(attempt);
        } catch (error) {
          if (lastTry || isDataError(error)) throw error;
          if (!unavailable) onOutage(error);
          unavailable = true;
        }
        await setTimeout(pauseMs, undefined, { signal: shutdown }).catch(() => undefined);
      }
    },

    updateHealth: coalesce(async (updates: EndpointHealthUpdate[]) => {
      await updateEndpointHealth(database, updates);
      return updates.map(() => undefined);
    }, sharedByMerchant),

    async recordTransition({ update, ...transition }) {
      const release = await transitions.acquire();
      try {
        return await recordEndpointTransition(database, update, transition);
      } finally {
        release();
      }
    },

    reserveHostSlot: (url) => reserveHostSlot(database, webhookHost(url), newEndpointSeconds),
  };
}
