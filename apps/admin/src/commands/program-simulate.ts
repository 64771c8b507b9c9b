import { listPrograms, streamSimulationOrders } from '@rewardhook/database';
import { openSimulation } from '@rewardhook/rewards';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';
import { readRuleFile } from './read-rule-file.ts';
import { readSince } from './read-since.ts';

/** Gains and losses that are listed each; all are counted. */
const mostListed = 1_000;

export const programSimulate = command({
  does: 'Replay the stored orders against a draft rule: who would gain or lose what, and the total cost. Changes nothing.',
  required: { merchant: 'merchant id', program: 'file with the rule as JSON' },
  optional: { since: 'replay only orders from this day or moment on, by order_date' },
  async run({ merchant, program: file, since: sinceText }, { database }) {
    const rule = await readRuleFile(file);
    await requireMerchant(database, merchant);
    const since = await readSince(database, merchant, sinceText);
    const [current] = await listPrograms(database, merchant);
    if (!current) throw new UsageError(`Merchant ${merchant} has no program.`);
    const simulation = openSimulation({ id: current.id, version: current.version + 1, rule }, mostListed);
    await streamSimulationOrders(database, merchant, { since }, simulation.add);
    const { orders, reasons, draft, current: now, difference, ...lists } = simulation.report();
    return {
      document: {
        since,
        currentVersion: current.version,
        orders,
        reasons,
        draft,
        current: now,
        difference,
        totalCost: draft.amounts,
        ...lists,
      },
    };
  },
});
