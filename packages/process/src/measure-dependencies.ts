import { cacheFor } from './cache-for.ts';
import { checkHealth } from './health.ts';
import type { DependencyCheck } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { ProcessStatus } from './process-status.ts';

/** Opens the gauges `dependency_up`, from the checks that are registered by then, and `process_info`. */
export function measureDependencies(
  metrics: Metrics,
  checks: DependencyCheck[],
  { process, version }: ProcessStatus,
): void {
  const check = cacheFor(1_000, () => checkHealth(checks));
  metrics.gauges(
    'dependency_up',
    'Whether this process can use a dependency, for writing where it writes: 1 or 0; sum over replicas',
    ['dependency'],
    async () =>
      Object.entries((await check()).checks).map(([dependency, result]) => ({
        labels: { dependency },
        value: result === 'ok' ? 1 : 0,
      })),
  );
  metrics.gauges(
    'process_info',
    'Name and version of this process; sum over replicas',
    ['process', 'version'],
    () => [{ labels: { process, version }, value: 1 }],
  );
}
