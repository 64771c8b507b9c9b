import { listPrograms, streamSimulationOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { openSimulation } from '@rewardhook/rewards';
import type { Difference, ProgramRule } from '@rewardhook/rewards';
import type { DifferenceView, SimulationView } from '../api-types.ts';
import { refuse } from '../http/console-error.ts';

/** Gains and losses that are listed each; all are counted. */
const mostListed = 200;

/** Replays a merchant's stored orders under a draft. @throws ConsoleError `conflict` while one of his is under way */
export type Simulate = (
  merchantId: string,
  draft: { rule: ProgramRule; since: Date | null },
) => Promise<SimulationView>;

/** Opens simulations: one of a merchant at a time, since each reads all his orders. */
export function openSimulate(database: Database): Simulate {
  const underWay = new Set<string>();
  return async (merchantId, { rule, since }) => {
    if (underWay.has(merchantId)) throw refuse('simulation_running');
    underWay.add(merchantId);
    try {
      const [current] = await listPrograms(database, merchantId);
      if (!current) throw new Error('the merchant has no program');
      const draft = { id: current.id, version: current.version + 1, rule };
      const simulation = openSimulation(draft, mostListed);
      await streamSimulationOrders(database, merchantId, { since }, simulation.add);
      return view(since, simulation.report());
    } finally {
      underWay.delete(merchantId);
    }
  };
}

function view(
  since: Date | null,
  report: ReturnType<ReturnType<typeof openSimulation>['report']>,
): SimulationView {
  const { gainsInAll, lossesInAll, gains, losses, ...rest } = report;
  return {
    since: since?.toISOString() ?? null,
    ...rest,
    gains_total: gainsInAll,
    losses_total: lossesInAll,
    gains: gains.map(viewDifference),
    losses: losses.map(viewDifference),
  };
}

function viewDifference({ memberId, orderId, role, type, amount, unit }: Difference): DifferenceView {
  return { member_id: memberId, order_id: orderId, role, type, amount, unit };
}
