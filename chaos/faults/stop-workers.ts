import { waitFor } from '@rewardhook/local-stack';
import type { Service } from '../service/open-service.ts';

/** Suspends all workers of an app, calls `meanwhile`, and resumes them. Their last heartbeats stay in Redis. */
export function whileAllFrozen(
  service: Service,
  app: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const names = workersOf(service, app);
  return asFaults(service, 'freeze', names, 'SIGSTOP', async () => {
    signal(service, names, 'SIGSTOP');
    try {
      await meanwhile();
    } finally {
      signal(service, names, 'SIGCONT');
    }
  });
}

/** Stops all workers of an app as an update does, calls `meanwhile` before one of them runs again, and lets them start. */
export function whileNoneRuns(
  service: Service,
  app: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const { pidOf } = service;
  const names = workersOf(service, app);
  return asFaults(service, 'down', names, 'SIGTERM', async () => {
    const before = new Map(names.map((name) => [name, pidOf(name)]));
    const startsAgain = (name: string) => {
      const pid = pidOf(name);
      return pid !== undefined && pid !== before.get(name);
    };
    signal(service, names, 'SIGTERM');
    try {
      await Promise.all(
        names.map(async (name) => {
          // Suspended before it has connected to anything: it has started, and does no work.
          await waitFor(() => startsAgain(name), {
            deadlineMs: 60_000,
            everyMs: 5,
            what: `the next start of ${name}`,
          });
          signal(service, [name], 'SIGSTOP');
        }),
      );
      await meanwhile();
    } finally {
      signal(service, names, 'SIGCONT');
    }
  });
}

const workersOf = ({ names }: Service, app: string) =>
  names.filter((name) => name === app || name.replace(/-\d+$/, '') === app);

function signal({ stack }: Service, names: string[], name: NodeJS.Signals): void {
  for (const one of names) stack.kill(one, name);
}

/** Writes down a fault of several processes, and waits until all of them are ready again. */
function asFaults(
  service: Service,
  fault: string,
  names: string[],
  details: string,
  inject: () => Promise<void>,
): Promise<void> {
  const injectAndWait = async () => {
    await inject();
    await service.stack.waitUntilReady(90_000);
  };
  return names.reduce((inner, name) => () => service.fault(fault, name, details, inner), injectAndWait)();
}
