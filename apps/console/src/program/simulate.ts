import { findNewestProgram, streamSimulationOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { openSimulation, productFiltersOf } from '@rewardhook/rewards';
import type { Difference, Terms } from '@rewardhook/rewards';
import type { DifferenceView, SimulationView } from '../api-types.ts';
import { refuse } from '../http/console-error.ts';

/** The most gains and the most losses that are listed; all are counted. */
const maxListed = 200;

/** Evaluates a merchant's stored orders by a draft. @throws ConsoleError `conflict` while another simulation of theirs runs */
export type Simulate = (
  merchantId: string,
  draft: { terms: Terms; since: string | null },
) => Promise<SimulationView>;

/** Opens simulations. A merchant can run one at a time, since each reads all of their orders. */
export function openSimulate(database: Database): Simulate {
  const running = new Set<string>();
  return async (merchantId, { terms, since }) => {
    if (running.has(merchantId)) throw refuse('simulation_running');
    running.add(merchantId);
    try {
      const current = await findNewestProgram(database, merchantId);
      const draft = { id: current.id, version: current.version + 1, terms };
      const simulation = openSimulation(draft, maxListed);
      await streamSimulationOrders(
        database,
        merchantId,
        { since, products: productFiltersOf(terms) },
        simulation.add,
      );
      return view(since, simulation.report());
    } finally {
      running.delete(merchantId);
    }
  };
}

function view(
  since: string | null,
  report: ReturnType<ReturnType<typeof openSimulation>['report']>,
): SimulationView {
  const { gainsInAll, lossesInAll, gains, losses, ...rest } = report;
  return {
    since,
    ...rest,
    gains_total: gainsInAll,
    losses_total: lossesInAll,
    gains: gains.map(toDifferenceView),
    losses: losses.map(toDifferenceView),
  };
}

function toDifferenceView({ memberId, orderId, role, type, amount, unit }: Difference): DifferenceView {
  return { member_id: memberId, order_id: orderId, role, type, amount, unit };
}
