import type { Service } from '../service/open-service.ts';

/** Pauses a queue in the dashboard, as an operator does, calls `meanwhile`, and resumes it. */
export async function whileQueuePaused(
  service: Service,
  queue: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const { dashboardUrl, dashboardUser, dashboardPassword } = service.stack;
  const credentials = Buffer.from(`${dashboardUser}:${dashboardPassword}`).toString('base64');
  const put = async (act: string) => {
    const { ok, status } = await fetch(`${dashboardUrl}/api/queues/${queue}/${act}`, {
      method: 'PUT',
      headers: { authorization: `Basic ${credentials}` },
    });
    if (!ok) throw new Error(`the dashboard answered ${status} to ${act} of the queue ${queue}`);
  };
  await service.fault('pause-queue', 'redis', queue, async () => {
    await put('pause');
    try {
      await meanwhile();
    } finally {
      await put('resume');
    }
  });
}
