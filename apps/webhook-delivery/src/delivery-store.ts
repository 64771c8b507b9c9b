import {
  claimDeliveries,
  claimManualRetries,
  findSendableEndpoints,
  isDataError,
  recordAttempts,
  recordMissingAttempts,
  releaseDeliveries,
  reserveHostSlot,
  recordEndpointTransition,
  updateEndpointHealth,
} from '@rewardhook/database';
import type {
  AttemptRecord,
  Claim,
  ClaimResult,
  ClaimedDelivery,
  Database,
  EndpointTransition,
  EndpointHealthUpdate,
  EndpointKey,
  SendableEndpoint,
} from '@rewardhook/database';
import { coalesce } from '@rewardhook/pipeline';
import { webhookHost } from '@rewardhook/contract';
import { keepTrying } from './keep-trying.ts';

/** How long a taken delivery is left to its worker. */
export const leaseSeconds = 30;

/**
 * What the deliver stage reads and writes. Endpoints are served side by side, thousands at a time, and share their
 * statements: however many are at work, a few connections do.
 */
export interface DeliveryStore {
  find(name: EndpointKey): Promise<SendableEndpoint | undefined>;
  claim(claim: Claim): Promise<ClaimResult>;
  /** Retries that somebody asked for. */
  claimManualRetries(claim: Claim): Promise<ClaimResult>;
  release(deliveries: ClaimedDelivery[]): Promise<void>;
  /** Resolves when the attempt is stored; while PostgreSQL is away it waits for it. */
  record(attempt: AttemptRecord): Promise<void>;
  storeFinding(finding: EndpointHealthUpdate): Promise<void>;
  /**
   * A new endpoint at this URL has failed: returns the seconds until its next request. The new endpoints of a host,
   * whoever they belong to, share one rate.
   */
  reserveHostSlot(url: string): Promise<number>;
  storeChange: (change: FoundChange) => ReturnType<typeof recordEndpointTransition>;
}

/** What was found of an endpoint, with what follows. */
export interface FoundChange extends EndpointTransition {
  finding: EndpointHealthUpdate;
}

export interface DeliveryStoreOptions {
  /** Seconds between two requests to the new endpoints of a host. */
  newEndpointSeconds: number;
  /** Hears of each attempt once it is stored. */
  onRecorded(attempt: AttemptRecord): void;
  /** Hears once why attempts cannot be stored for now. */
  onAway(error: unknown): void;
  /** From then on nothing waits for PostgreSQL any more. */
  ending: AbortSignal;
}

/** Opens the store. */
export function openDeliveryStore(
  database: Database,
  { newEndpointSeconds, onRecorded, onAway, ending }: DeliveryStoreOptions,
): DeliveryStore {
  // When a statement fails the jobs behind it are tried again, and not its parts one by one.
  const shared = { maxWeight: 500, concurrency: 1, retryIndividually: false };
  let away = false;
  const onFailure = (error: unknown) => {
    if (!away) onAway(error);
    away = true;
  };
  // After an error it is open whether a statement was committed.
  const tried = new WeakSet<AttemptRecord>();
  const recordTogether = coalesce(
    async (attempts: AttemptRecord[]) => {
      const again = attempts.filter((attempt) => tried.has(attempt));
      const first = attempts.filter((attempt) => !tried.has(attempt));
      for (const attempt of first) tried.add(attempt);
      if (first.length > 0) await recordAttempts(database, first);
      if (again.length > 0) await recordMissingAttempts(database, again);
      away = false;
      return attempts.map(onRecorded);
    },
    { maxWeight: 500, concurrency: 2 },
  );
  return {
    find: coalesce((names: EndpointKey[]) => findSendableEndpoints(database, names), shared),
    claim: coalesce((claims: Claim[]) => claimDeliveries(database, claims, leaseSeconds), {
      maxWeight: 2_000,
      weightOf: ({ limit }) => limit,
      concurrency: 2,
      retryIndividually: false,
    }),
    claimManualRetries: coalesce(
      (claims: Claim[]) => claimManualRetries(database, claims, leaseSeconds),
      shared,
    ),
    release: coalesce(async (left: ClaimedDelivery[][]) => {
      await releaseDeliveries(database, left.flat());
      return left.map(() => undefined);
    }, shared),
    // Nobody else knows what was sent: forgotten, it would be sent again.
    record: (attempt) =>
      keepTrying(() => recordTogether(attempt), { isHopeless: isDataError, onFailure, ending }),
    storeFinding: coalesce(async (findings: EndpointHealthUpdate[]) => {
      await updateEndpointHealth(database, findings);
      return findings.map(() => undefined);
    }, shared),
    reserveHostSlot: (url) => reserveHostSlot(database, webhookHost(url), newEndpointSeconds),
    // Each is a transaction of its own; those of many endpoints that fail together wait for each other.
    storeChange: coalesce(
      (changes: FoundChange[]) =>
        Promise.all(
          changes.map(({ finding, ...change }) => recordEndpointTransition(database, finding, change)),
        ),
      { maxWeight: 1, concurrency: 2, retryIndividually: false },
    ),
  };
}
