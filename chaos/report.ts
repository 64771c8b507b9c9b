import type { Findings } from './checks/check-history.ts';
import type { RunEntry } from './ledger/entries.ts';
import { groupBy } from './ledger/group-by.ts';
import type { History } from './ledger/read-history.ts';
import { allowedOrderStates } from './model/order-states.ts';
import { percentile, redisOutages } from './outage-times.ts';

/** Violations of one check that are printed. */
const printed = 5;

/** The report of a run, made from its ledger alone. `folder`: where that is. */
export function describeRun({ history, findings, failed }: Findings, folder: string): string {
  const { run, shops, faults, situations } = history;
  const calls = shops.flatMap((shop) => shop.calls);
  const orders = shops.reduce((sum, shop) => sum + allowedOrderStates(shop.calls).size, 0);
  const webhooks = shops.reduce((sum, shop) => sum + shop.received.length, 0);
  const outcomes = counts(calls, ({ outcome }) => outcome);
  return [
    '',
    `seed ${run.seed}, commit ${run.commit}, ${run.cores} cores, ${run.minutes} minutes`,
    `  requests: ${outcomes || 'none'}; ${orders} different orders, ${webhooks} webhooks received`,
    `  faults: ${counts(faults, ({ fault }) => fault) || 'none'}`,
    `  situations reached: ${counts(situations, ({ scenario }) => scenario) || 'none'}`,
    ...findings.map(describeFinding),
    ...describeTimes(history),
    ...(failed.length === 0
      ? ['passed']
      : [`FAILED: ${failed.join(', ')}`, ...describeRepetition(run, folder)]),
  ].join('\n');
}

function describeTimes(history: History): string[] {
  const measured = history.measured.map(
    ({ what, ms }) => `  ${what} ${ms === null ? 'never' : `${Math.round(ms)} ms`}`,
  );
  const outages = redisOutages(history);
  if (outages.length === 0) return measured;
  const answers = outages.flatMap((one) => one.answersMs);
  const accepted = outages.flatMap(({ acceptedAfterMs: ms }) => (ms === undefined ? [] : [ms]));
  const [median, p99] = [percentile(answers, 0.5), percentile(answers, 0.99)];
  const afterwards =
    accepted.length === 0
      ? 'nothing was accepted afterwards'
      : `accepted again ${percentile(accepted, 0.5)} ms after its beginning (median)`;
  return [
    ...measured,
    `  Redis was away ${outages.length} times: ${answers.length} answers 503, median ${median} ms, p99 ${p99} ms; ${afterwards}`,
  ];
}

/** How the same choices are made again, and where all of it is written down. */
function describeRepetition({ seed, minutes, scenarios }: RunEntry, folder: string): string[] {
  const named = scenarios === null ? '' : ` --scenario ${scenarios.join()}`;
  return [
    `  the same choices again: npm run chaos -- --minutes ${minutes} --seed ${seed}${named}`,
    `  ledger, logs and data: ${folder}; the same checks again: npm run chaos -- --check ${folder}`,
  ];
}

function describeFinding({ check, count, leftOut = 0, violations }: Findings['findings'][number]): string {
  const checked = `${count} checked${leftOut === 0 ? '' : `, ${leftOut} left out`}`;
  if (violations.length === 0) return `  ${count === 0 ? '–' : '✓'} ${check.padEnd(24)} ${checked}`;
  const lines = violations
    .slice(0, printed)
    .map(({ shop, text }) => `      ${shop ? `${shop}: ` : ''}${text}`);
  const more = violations.length - lines.length;
  if (more > 0) lines.push(`      and ${more} more`);
  return [`  ✗ ${check.padEnd(24)} ${checked}, ${violations.length} wrong`, ...lines].join('\n');
}

function counts<T>(all: T[], keyOf: (one: T) => string): string {
  return [...groupBy(all, keyOf)].map(([key, some]) => `${key} ${some.length}`).join(', ');
}
