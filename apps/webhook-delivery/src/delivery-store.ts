import {
  claimDeliveries,
  findSendableEndpoints,
  isRefused,
  recordAttempts,
  releaseDeliveries,
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
  release(deliveries: ClaimedDelivery[]): Promise<void>;
  /** Resolves when the attempt is stored; while PostgreSQL is away it waits for it. */
  record(attempt: AttemptRow): Promise<void>;
  storeFinding(finding: EndpointFinding): Promise<void>;
  storeChange: (change: FoundChange) => ReturnType<typeof storeEndpointChange>;
}

/** What was found of an endpoint, with what follows. */
export interface FoundChange extends EndpointChange {
  finding: EndpointFinding;
}

/** Opens the store; `onRecorded` is told of each attempt once it is stored. When it is `ending`, nothing waits any more. */
export function openDeliveryStore(
  database: Database,
  { onRecorded, ending }: { onRecorded: (attempt: AttemptRow) => void; ending: AbortSignal },
): DeliveryStore {
  // When a statement fails the jobs behind it are tried again, and not its parts one by one.
  const shared = { maxWeight: 500, parallel: 1, tryAlone: false };
  const recordTogether = coalesce(
    async (attempts: AttemptRow[]) => {
      await recordAttempts(database, attempts);
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
    release: coalesce(async (left: ClaimedDelivery[][]) => {
      await releaseDeliveries(database, left.flat());
      return left.map(() => undefined);
    }, shared),
    // Nobody else knows what was sent: forgotten, it would be sent again.
    record: (attempt) => keepTrying(() => recordTogether(attempt), { isHopeless: isRefused, ending }),
    storeFinding: coalesce(async (findings: EndpointFinding[]) => {
      await storeEndpointFindings(database, findings);
      return findings.map(() => undefined);
    }, shared),
    // Each is a transaction of its own; those of many endpoints that fail together wait for each other.
    storeChange: coalesce(
      (changes: FoundChange[]) =>
        Promise.all(changes.map(({ finding, ...change }) => storeEndpointChange(database, finding, change))),
      { maxWeight: 1, parallel: 2, tryAlone: false },
    ),
  };
}
