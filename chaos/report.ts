import type { Findings } from './checks/check-history.ts';
import { groupBy } from './ledger/group-by.ts';
import { allowedOrderStates } from './model/order-states.ts';

/** Violations of one check that are printed. */
const printed = 5;

/** The report of a run, made from its ledger alone. */
export function describeRun({ history, findings, failed }: Findings): string {
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
    failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`,
  ].join('\n');
}

function describeFinding({ check, count, leftOut = 0, violations }: Findings['findings'][number]): string {
  const checked = `${count} checked${leftOut === 0 ? '' : `, ${leftOut} left out`}`;
  if (violations.length === 0) return `  ✓ ${check.padEnd(24)} ${checked}`;
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
