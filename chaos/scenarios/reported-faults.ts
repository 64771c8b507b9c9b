import { setTimeout } from 'node:timers/promises';
import { whileQueuePaused } from '../faults/pause-queue.ts';
import { whileReadOnly } from '../faults/postgres-faults.ts';
import { whileRedisIsFull } from '../faults/redis-faults.ts';
import { whileAllFrozen, whileNoneRuns } from '../faults/stop-workers.ts';
import { now } from '../ledger/clock.ts';
import type { DoctorReport, DoctorWatch } from '../service/watch-doctor.ts';
import { watchDoctor } from '../service/watch-doctor.ts';
import { makeOrder } from '../shop/make-order.ts';
import type { Shop, ShopWebhook } from '../shop/open-shop.ts';
import { sendRewardedOrders, warmUp } from '../shop/rewarded-orders.ts';
import { succeed } from '../shop/start-receiver.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

/** A fault, how it is caused, and how `doctor` reports it. */
interface ReportedFault {
  /** The name of a fault, or the kind of a problem, in the document of `doctor`. */
  name: string;
  /** How soon it is reported, and how soon it is not any more when its cause has ended, in milliseconds. */
  withinMs: number;
  goneWithinMs: number;
  /** Other faults that it causes, at once or when it lasts. */
  also: string[];
  isIn(report: DoctorReport): boolean;
  /** Causes it, calls `meanwhile`, and ends it. */
  during(meanwhile: () => Promise<void>): Promise<void>;
}

/**
 * What docs/operations/watch.md has no time for: it is reported while it is so. tests/operations/faults.e2e.test.ts waits for as long for a
 * fault, and until nothing is wrong any more.
 */
const undocumented = { withinMs: 60_000, goneWithinMs: 30_000 };

/** Housekeeping looks every 15 s: a problem that it has not seen for longer is over, in milliseconds. */
const notSeenForMs = 18_000;

/** Failures in a row that open the breaker of a webhook, by docs/webhooks.md, and orders that cause more of them: each has two events. */
const failuresUntilOpen = 7;
const failingOrders = 6;

/**
 * Every fault of the table is caused, and reported by what operators have, `doctor`, in its time. Those that hide no other one are caused at
 * the same time.
 */
export const reportedFaults: Scenario = {
  name: 'reported-faults',
  what: 'Workers are frozen and held down, a queue, a webhook, PostgreSQL and Redis fail, and doctor runs again and again',
  situation: 'doctor reported each of these faults while it lasted',
  besideFaults: false,
  ownChecks: [
    {
      name: 'reported-in-time',
      promise:
        'doctor reports a fault within the time that the documents give, and not any more when its cause has ended',
    },
    {
      name: 'reports-have-causes',
      promise: 'Everything that doctor reports is caused by a fault that was injected',
    },
  ],
  alone: true,
  onlyByName: true,
  async run(context) {
    const shop = await context.shop('shop');
    const [webhook] = shop.webhooks as [ShopWebhook];
    await warmUp(shop, context.round);
    const doctor = watchDoctor(context.service);
    try {
      const clean = await doctor.wait(now(), 45_000, isClean);
      if (!clean) throw new Error('doctor reported something before the first fault');
      const caused: Caused[] = [];
      const measure = (fault: ReportedFault) => measureReport(context, doctor, fault, caused);
      const { webhookFailing, ofProcesses, ofServers } = faultsOf(context, shop, webhook);
      let failing: Promise<boolean> | undefined;
      const opened = new Promise<void>((resolve) => {
        failing = measure(webhookFailing(resolve));
      });
      // Its deliveries need the workers until its breaker is open.
      await Promise.race([opened, failing]);
      const reported = await Promise.all([failing, ...ofProcesses.map(measure)]);
      // Each of these hides late processes, and keeps housekeeping from looking for problems.
      for (const fault of ofServers) if (!context.signal.aborted) reported.push(await measure(fault));
      if (reported.length === 1 + ofProcesses.length + ofServers.length && reported.every(Boolean))
        context.reached();
      checkCauses(context, clean, doctor.reports, caused);
    } finally {
      await doctor.stop();
    }
  },
};

/** A fault that was caused, at this time, and whose end was reported, or waited for in vain, at the other. */
interface Caused {
  fault: ReportedFault;
  from: number;
  until: number;
}

const isClean = ({ faults }: DoctorReport) => Object.values(faults).every((number) => number === 0);

/** The faults of the table. */
function faultsOf({ service, round }: ScenarioContext, shop: Shop, webhook: ShopWebhook) {
  const fault = (
    name: string,
    more: Partial<ReportedFault> & Pick<ReportedFault, 'during'>,
  ): ReportedFault => ({
    name,
    ...undocumented,
    also: [],
    isIn: ({ faults }) => (faults[name] ?? 0) > 0,
    ...more,
  });
  const isFailing = ({ problems, from }: DoctorReport) =>
    problems.some(
      ({ kind, subject, last_seen_at: seen }) =>
        kind === 'webhook_failing' && subject === webhook.id && from - Date.parse(seen) < notSeenForMs,
    );
  return {
    webhookFailing: (opened: () => void) =>
      fault('webhook_failing', {
        // "Housekeeping looks every 15 seconds" (docs/operations/watch.md, section Problems), and a look takes some time.
        withinMs: 20_000,
        // It is listed for ten minutes more, by the same section, but not seen any more: the breaker closes, and two looks follow.
        goneWithinMs: 45_000,
        also: [`webhook_failing of ${webhook.id}`],
        isIn: isFailing,
        during: (meanwhile) =>
          service.fault('failing-webhook', 'a receiver', `webhook ${webhook.id} answers 500`, async () => {
            const before = webhook.receiver.count();
            webhook.receiver.respond(({ response }) => void response.writeHead(500).end());
            await sendRewardedOrders(shop, `${round}-failing`, failingOrders);
            const end = now() + 30_000;
            while (webhook.receiver.count() - before < failuresUntilOpen && now() < end) await setTimeout(20);
            opened();
            try {
              await meanwhile();
            } finally {
              webhook.receiver.respond(succeed);
              // Its success is a probe: the deliveries follow.
              await service.admin('webhook', 'test', '--merchant', shop.merchantId, '--webhook', webhook.id);
            }
          }),
      }),
    ofProcesses: [
      fault('processesLate', {
        // "without a heartbeat for 20 s, if no other process of the name runs"
        withinMs: 20_000,
        also: ['processesMissing', 'evaluationsOverdue'],
        during: (meanwhile) => whileAllFrozen(service, 'reward-evaluation', meanwhile),
      }),
      fault('processesMissing', {
        // "of which none has run for 60 s, […] and workers whose jobs wait while none of them runs"
        withinMs: 60_000,
        also: ['requestsOverdue', 'evaluationsOverdue'],
        during: (meanwhile) =>
          whileNoneRuns(service, 'sync', async () => {
            await shop.syncUntilAccepted([
              makeOrder({ order_id: `${round}-waits`, member_id: `${round}-waits` }),
            ]);
            await meanwhile();
          }),
      }),
      // Its workers are frozen at the same time: a paused queue and frozen workers are two faults.
      fault('queuesPaused', {
        during: (meanwhile) => whileQueuePaused(service, 'reward-evaluation', meanwhile),
      }),
    ],
    ofServers: [
      // Housekeeping writes the count of the promises, and doctor finds one that is a minute old.
      fault('databaseReadOnly', {
        also: ['promisesNotCounted', 'requestsOverdue'],
        during: (meanwhile) => whileReadOnly(service, meanwhile),
      }),
      // "1 while orders are refused because Redis uses 80 % of `maxmemory`": of twice its limit it can write nothing either.
      fault('redisFull', {
        also: ['redisNotWritable', 'promisesNotCounted'],
        during: (meanwhile) => whileRedisIsFull(service, 2, meanwhile),
      }),
    ],
  };
}

/** Causes a fault until it is reported, and ends it. Returns whether it was reported. */
async function measureReport(
  { measured, checked }: ScenarioContext,
  doctor: DoctorWatch,
  fault: ReportedFault,
  all: Caused[],
): Promise<boolean> {
  const { name, isIn } = fault;
  const caused: Caused = { fault, from: now(), until: Number.POSITIVE_INFINITY };
  all.push(caused);
  const measure = async (
    what: string,
    since: number,
    ms: number,
    fits: (report: DoctorReport) => boolean,
  ) => {
    const report = await doctor.wait(since, ms, fits);
    measured(`${name} was ${what} after`, report ? report.until - since : Number.POSITIVE_INFINITY);
    checked('reported-in-time', 1, report ? [] : [`${name} was not ${what} by a look after ${ms} ms`]);
    return report !== undefined;
  };
  let isReported = false;
  let gone: Promise<boolean> | undefined;
  await fault.during(async () => {
    // A report that was begun before cannot count: it may have found what was there earlier.
    isReported = await measure('reported', now(), fault.withinMs, isIn);
    gone = measure('gone', now(), fault.goneWithinMs, (report) => !isIn(report));
  });
  await gone;
  caused.until = now();
  return isReported;
}

/** Every fault that was reported, and every problem that was opened, must be one that was caused. */
function checkCauses(
  { checked }: ScenarioContext,
  before: DoctorReport,
  reports: readonly DoctorReport[],
  caused: readonly Caused[],
): void {
  const openBefore = new Set(before.problems.map(({ id }) => id));
  const namesOf = ({ fault }: Caused) => [fault.name, ...fault.also];
  const found = reports
    .filter(({ from }) => from > before.from)
    .flatMap(({ from, until, faults, problems }) => {
      const atThatTime = caused.filter((one) => one.from <= until && one.until >= from);
      // A problem is listed for ten minutes after it was seen.
      const earlier = caused.filter((one) => one.from <= until);
      const has = (some: Caused[], name: string) => some.some((one) => namesOf(one).includes(name));
      return [
        ...Object.entries(faults)
          // On a busy machine a check does not finish in time.
          .filter(([name, number]) => number > 0 && name !== 'checksUnfinished')
          .map(([name]) => ({ name, isCaused: has(atThatTime, name) })),
        ...problems
          .filter(({ id }) => !openBefore.has(id))
          .map(({ kind, subject }) => ({
            name: kind === 'finding' ? String(subject) : `${kind} of ${subject}`,
          }))
          .map(({ name }) => ({ name, isCaused: has(earlier, name) })),
      ];
    });
  const without = new Set(found.filter(({ isCaused }) => !isCaused).map(({ name }) => name));
  checked(
    'reports-have-causes',
    found.length,
    [...without].map((name) => `doctor reported ${name}, and nothing had caused it`),
  );
}
