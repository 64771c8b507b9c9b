import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import type { Sealer } from '@rewardhook/database';
import type { AttemptRecord, ClaimedDelivery, SendableEndpoint } from '@rewardhook/database/stages';
import { noTracing } from '@rewardhook/process';
import type { WebhookClient } from '@rewardhook/webhook';
import type { DeliveryStore } from './delivery-store.ts';
import { openDispatcher } from './dispatch-endpoint.ts';
import type { DispatchDependencies } from './dispatch-endpoint.ts';
import { healthy } from '../testing/healthy.ts';

const merchantId = 'mer_1';
const endpointId = 'whk_1';

function buildEndpoint(inFlightLimit: number): SendableEndpoint {
  return {
    merchantId,
    id: endpointId,
    url: 'https://shop.example/',
    retryHours: null,
    signingKeys: [],
    manualRetriesDue: false,
    manualRetriesOnly: false,
    health: { ...healthy, inFlightLimit },
  };
}

function buildDelivery(id: number): ClaimedDelivery {
  return {
    merchantId,
    id: String(id),
    attemptsMade: 0,
    scheduleStep: 0,
    eventType: 'reward.issue',
    body: '{}',
    requestId: null,
    traceparent: null,
    dueAt: '',
    createdAt: 0,
    leaseExpiresAt: '',
  };
}

const soon = () => new Promise<void>((resolve) => void setImmediate(resolve));

interface Options {
  due?: number;
  concurrency?: number;
  /** Answers a delivery; 200 by default, after an iteration of the event loop. */
  respond?: (id: number) => Promise<void>;
  store?: Partial<DeliveryStore>;
}

/** A dispatch to one endpoint with a backlog in memory, and what happened to its deliveries. */
function buildDispatch({ due = 0, concurrency = 4, respond = soon, store = {} }: Options = {}) {
  const backlog = Array.from({ length: due }, (_, id) => id);
  const sent: number[] = [];
  const released: number[] = [];
  const recorded: AttemptRecord[] = [];
  const shutdown = new AbortController();
  let inFlight = 0;
  const seen = { maxInFlight: 0 };

  const attempt: WebhookClient['attempt'] = async ({ headers }) => {
    inFlight += 1;
    seen.maxInFlight = Math.max(seen.maxInFlight, inFlight);
    const id = Number(headers['X-Service-Delivery']);
    await respond(id);
    inFlight -= 1;
    sent.push(id);
    return {
      result: 'response',
      status: 200,
      responseHeaders: {},
      responseBody: '',
      truncated: false,
      timings: { totalMs: 1 },
      connectionReused: false,
      retriedOnNewConnection: false,
    };
  };
  const none = async () => ({ deliveries: [], expired: 0 });
  const dependencies: DispatchDependencies = {
    tracing: noTracing,
    store: {
      findEndpoint: async () => buildEndpoint(concurrency),
      claimDue: async ({ limit }) => ({
        deliveries: backlog.splice(0, limit).map(buildDelivery),
        expired: 0,
      }),
      claimManualRetries: none,
      release: async (deliveries) => void released.push(...deliveries.map(({ id }) => Number(id))),
      record: async (record) => void recorded.push(record),
      updateHealth: async () => undefined,
      recordTransition: async () => ({ notified: [], endpointIds: [] }),
      reserveHostSlot: async () => 0,
      ...store,
    },
    queue: {
      enqueue: async () => undefined,
      enqueueAgain: async () => undefined,
      findMissing: async () => [],
      close: async () => undefined,
    } as DispatchDependencies['queue'],
    client: { attempt, close: async () => undefined },
    sealer: {} as Sealer,
    metrics: { countAttempt() {}, countConnection() {}, countStage() {}, observeAttempt() {} },
    logNotice: () => undefined,
    endpointConcurrency: concurrency,
    newEndpointSeconds: 0,
    shutdown: shutdown.signal,
  };
  const run = () => openDispatcher(dependencies).dispatch({ merchantId, endpointId });
  return { run, backlog, sent, released, recorded, seen, shutdown };
}

const sorted = (ids: number[]) => ids.toSorted((one, other) => one - other);
const range = (count: number) => [...Array(count).keys()];

describe('A dispatch', () => {
  it('sends every delivery once and never has more requests in flight than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.integer({ min: 1, max: 40 }), async (due, concurrency) => {
        const { run, sent, released, recorded, seen } = buildDispatch({ due, concurrency });
        expect(await run()).toEqual({ attempts: due, delivered: due, breakerOpen: false });
        expect(sorted(sent)).toEqual(range(due));
        expect(recorded).toHaveLength(due);
        expect(seen.maxInFlight).toBeLessThanOrEqual(concurrency);
        expect(released).toEqual([]);
      }),
      { numRuns: propertyCases(50) },
    );
  });

  it('sends one delivery at a time in the order in which they were claimed', async () => {
    const { run, sent } = buildDispatch({ due: 20, concurrency: 1 });
    await run();
    expect(sent).toEqual(range(20));
  });

  it('continues while a request hangs, also with deliveries that become due meanwhile', async () => {
    let complete = () => {};
    const hanging = new Promise<void>((resolve) => (complete = resolve));
    const { run, backlog, sent } = buildDispatch({
      due: 1,
      concurrency: 2,
      async respond(id) {
        if (id === 2) setImmediate(complete);
        if (id !== 0) return;
        setTimeout(() => backlog.push(1, 2), 50);
        await hanging;
      },
    });
    expect(await run()).toEqual({ attempts: 3, delivered: 3, breakerOpen: false });
    expect(sent).toEqual([1, 2, 0]);
  });

  it('claims again while a request hangs, also when the clock advances between two readings', async () => {
    // The pause before the next claim (250 ms) ends between two consecutive readings.
    let readings = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (readings += 1) * 100);
    let complete = () => {};
    const hanging = new Promise<void>((resolve) => (complete = resolve));
    const { run, backlog, sent } = buildDispatch({
      due: 1,
      async respond(id) {
        if (id === 1) return complete();
        backlog.push(1);
        setTimeout(complete, 2_000).unref();
        await hanging;
      },
    });
    await run();
    jest.restoreAllMocks();
    expect(sent).toEqual([1, 0]);
  });

  it('releases the deliveries that were claimed and not sent when the process ends', async () => {
    let started = 0;
    const dispatch = buildDispatch({
      due: 100,
      async respond() {
        started += 1;
        if (started === 5) dispatch.shutdown.abort();
        await soon();
      },
    });
    const { run, backlog, sent, released } = dispatch;
    await run();
    expect(sorted([...sent, ...released, ...backlog])).toEqual(range(100));
    expect(released.length).toBeGreaterThan(0);
  });

  it('releases the deliveries that are not started within its ten seconds, long before their lease expires', async () => {
    let elapsedMs = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + elapsedMs);
    const { run, sent, released } = buildDispatch({
      due: 10,
      concurrency: 1,
      async respond(id) {
        if (id === 4) elapsedMs = 10_000;
      },
    });
    await run();
    jest.restoreAllMocks();
    expect(sent).toEqual([0, 1, 2, 3, 4]);
    expect(released).toEqual([5]);
  });

  it('ends with the error of a claim', async () => {
    const claimDue = () => Promise.reject(new Error('no database'));
    await expect(buildDispatch({ store: { claimDue } }).run()).rejects.toThrow('no database');
  });

  it('ends with the error of recording, after the requests in flight, and releases the rest', async () => {
    const recorded: string[] = [];
    const { run, sent, released } = buildDispatch({
      due: 40,
      store: {
        async record({ deliveryId }) {
          await soon();
          if (deliveryId === '2') throw new Error('not recorded');
          recorded.push(deliveryId);
        },
      },
    });
    await expect(run()).rejects.toThrow('not recorded');
    expect(recorded).toHaveLength(sent.length - 1);
    expect(sent.length).toBeLessThan(40);
    expect(released.length).toBeGreaterThan(0);
  });
});
