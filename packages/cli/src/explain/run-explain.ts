import type { OrderExplanation } from '@rewardhook/rewards';
import { RewardhookError } from '@rewardhook/node';
import { commandErrorOf, openApi } from '../api/open-api.ts';
import type { Settings } from '../environment.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../output/terminal.ts';
import { printExplanation } from './print-explanation.ts';

/** Prints why an order earned a reward or none. Returns the exit code. */
export async function runExplain(
  { orderId, json, settings }: { orderId: string; json: boolean; settings: Settings },
  terminal: Terminal,
): Promise<number> {
  const api = openApi(settings);
  try {
    const data = (await api.orders.explain(orderId)) as OrderExplanation;
    if (json) terminal.json(data, 2);
    else printExplanation(data, terminal);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof RewardhookError && error.code === 'not_found')
      throw new CommandError(
        `There is no order "${orderId}" in this shop. Upper and lower case count. An order is available shortly after its 202.`,
        exitCodes.failed,
      );
    throw commandErrorOf(error);
  }
}
