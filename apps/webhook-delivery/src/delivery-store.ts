import {
  claimDeliveries,
  claimRetries,
  findSendableEndpoints,
  isRefused,
  recordAttempts,
  recordAttemptsAgain,
  releaseDeliveries,
  reserveHost,
  storeEndpointChange,
  storeEndpointFindings,
} from '@rewardhook/database';
import type {
  AttemptRow,
  Claim,
  Claimed,
  ClaimedDelivery,
  Database,
  EndpointChange,
  EndpointFinding,
  EndpointName,
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
  find(name: EndpointName): Promise<SendableEndpoint | undefined>;
  claim(claim: Claim): Promise<Claimed>;
  /** Retries that somebody asked for. */
  claimRetries(claim: Claim): Promise<Claimed>;
  release(deliveries: ClaimedDelivery[]): Promise<void>;
  /** Resolves when the attempt is stored; while PostgreSQL is away it waits for it. */
  record(attempt: AttemptRow): Promise<void>;
  storeFinding(finding: EndpointFinding): Promise<void>;
  /**
   * A new endpoint at this URL has failed: returns the seconds until its next request. The new endpoints of a host,
   * whoever they belong to, share one rate.
   */
  reserveHost(url: string): Promise<number>;
  storeChange: (change: FoundChange) => ReturnType<typeof storeEndpointChange>;
}

/** What was found of an endpoint, with what follows. */
export interface FoundChange extends EndpointChange {
  finding: EndpointFinding;
}

export interface DeliveryStoreOptions {
  /** Seconds between two requests to the new endpoints of a host. */
  newEndpointSeconds: number;
  /** Hears of each attempt once it is stored. */
  onRecorded(attempt: AttemptRow): void;
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
  const shared = { maxWeight: 500, parallel: 1, tryAlone: false };
  let away = false;
  const onFailure = (error: unknown) => {
    if (!away) onAway(error);
    away = true;
  };
  // After an error it is open whether a statement was committed.
  const tried = new WeakSet<AttemptRow>();
  const recordTogether = coalesce(
    async (attempts: AttemptRow[]) => {
      const again = attempts.filter((attempt) => tried.has(attempt));
      const first = attempts.filter((attempt) => !tried.has(attempt));
      for (const attempt of first) tried.add(attempt);
      if (first.length > 0) await recordAttempts(database, first);
      if (again.length > 0) await recordAttemptsAgain(database, again);
      away = false;
      return attempts.map(onRecorded);
    },
    { maxWeight: 500, parallel: 2 },
  );
  return {
    find: coalesce((names: EndpointName[]) => findSendableEndpoints(database, names), shared),
    claim: coalesce((claims: Claim[]) => claimDeliveries(database, claims, leaseSeconds), {
      maxWeight: 2_000,
      weigh: ({ limit }) => limit,
      parallel: 2,
      tryAlone: false,
    }),
    claimRetries: coalesce((claims: Claim[]) => claimRetries(database, claims, leaseSeconds), shared),
    release: coalesce(async (left: ClaimedDelivery[][]) => {
      await releaseDeliveries(database, left.flat());
      return left.map(() => undefined);
    }, shared),
    // Nobody else knows what was sent: forgotten, it would be sent again.
    record: (attempt) =>
      keepTrying(() => recordTogether(attempt), { isHopeless: isRefused, onFailure, ending }),
    storeFinding: coalesce(async (findings: EndpointFinding[]) => {
      await storeEndpointFindings(database, findings);
      return findings.map(() => undefined);
    }, shared),
    reserveHost: (url) => reserveHost(database, webhookHost(url), newEndpointSeconds),
    // Each is a transaction of its own; those of many endpoints that fail together wait for each other.
    storeChange: coalesce(
      (changes: FoundChange[]) =>
        Promise.all(changes.map(({ finding, ...change }) => storeEndpointChange(database, finding, change))),
      { maxWeight: 1, parallel: 2, tryAlone: false },
    ),
  };
}
