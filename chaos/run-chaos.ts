import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { projectRoot } from '@rewardhook/local-stack';
import { checkHistory } from './checks/check-history.ts';
import type { Findings } from './checks/check-history.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { readHistory } from './ledger/read-history.ts';
import { runRounds } from './run-rounds.ts';
import type { RoundsOptions } from './run-rounds.ts';
import { drain } from './service/drain.ts';
import { openService } from './service/open-service.ts';
import { observeShop } from './shop/observe-shop.ts';
import type { Shop } from './shop/open-shop.ts';

export interface ChaosOptions extends Omit<RoundsOptions, 'until'> {
  /** Where ledger, logs and data of the run are written. The caller has claimed it. */
  folder: string;
  /** The checkout whose programs run; default this one. */
  checkout?: string;
}

/** Runs scenarios under faults, reads back what became of it, and checks it. */
export async function runChaos(options: ChaosOptions): Promise<Findings> {
  const { folder, seed, minutes, scenarios, atRandom, checkout, log, signal } = options;
  const until = performance.now() + minutes * 60_000;
  const ledger = openLedger(folder);
  try {
    ledger.write({
      kind: 'run',
      seed,
      minutes,
      scenarios: atRandom ? null : scenarios.map(({ name }) => name),
      commit: commitOf(),
      cores: availableParallelism(),
    });
    const service = await openService({
      folder,
      ledger,
      log,
      ...(checkout === undefined ? {} : { checkout }),
      ...(signal ? { signal } : {}),
    });
    const shops = new Map<string, Shop>();
    try {
      await runRounds(service, shops, { ...options, until });
      log('the load has ended: waiting until all work is done');
      await drain(service);
      log('reading back');
      for (const shop of shops.values()) await observeShop(shop, ledger);
    } finally {
      await Promise.all([...shops.values()].map((shop) => shop.close()));
      await service.close();
    }
  } finally {
    ledger.close();
  }
  return checkHistory(await readHistory(folder));
}

function commitOf(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectRoot, encoding: 'utf8' }).trim();
}
