import { waitFor } from '@rewardhook/local-stack';
import type { LoadEnvironment } from './open-environment.ts';

/**
 * Kills a process or server with SIGKILL while it works, and waits until it runs again and all processes are ready.
 */
export async function killWhileWorking(environment: LoadEnvironment, name: string): Promise<void> {
  const { stack, load } = environment;
  const pidOf = () => stack.processes().find((one) => one.name === name)?.pid;
  // Another fault may have killed it just before.
  const before = await waitFor(pidOf, { deadlineMs: 90_000, what: `the start of ${name}` });
  // While `sync` is suspended, accepted orders are in Redis only.
  const suspended = name === 'redis' ? environment.names.filter((one) => one.startsWith('sync')) : [];
  suspended.forEach((sync) => stack.kill(sync, 'SIGSTOP'));
  try {
    // With an unanswered webhook the event is just committed and the outcome of the attempt is not stored yet.
    const sendsWebhooks = name.startsWith('webhook-delivery') || name.startsWith('reward-evaluation');
    await (sendsWebhooks ? environment.nextReceived() : load.nextAccepted());
    stack.kill(name, 'SIGKILL');
    await waitFor(() => pidOf() !== before, { deadlineMs: 30_000, what: `the end of ${name}` });
  } finally {
    suspended.forEach((sync) => stack.kill(sync, 'SIGCONT'));
  }
  await waitFor(pidOf, { deadlineMs: 90_000, what: `the restart of ${name}` });
  await stack.waitUntilReady(90_000);
}
