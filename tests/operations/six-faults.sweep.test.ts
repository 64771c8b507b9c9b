import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdmin } from '@rewardhook/local-stack';
import { createMerchant, openAdmin, removeStackData, startStack, waitFor } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing';
import { firesAfter, isQuiet } from './check-alert.ts';
import { faults } from './faults.ts';
import { scrapeMetrics } from './scrape-metrics.ts';
import type { Samples } from './scrape-metrics.ts';

// Every process for real. Each fault is caused on the running service.
jest.setTimeout(240_000);

interface Diagnosis {
  clean: boolean;
  faults: Record<string, number>;
}

describe('A fault of operation', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-faults-'));
  let stack: Stack;
  let merchantId: string;
  let passed = 0;
  beforeAll(async () => {
    stack = await startStack({ dataDir, run: 'source', ports: 'auto' });
    ({ merchantId } = await createMerchant(openAdmin(stack.environment, 'source'), 'Tea shop'));
  });
  afterAll(async () => {
    await stack?.stop();
    if (passed === faults.length) removeStackData(dataDir);
    else process.stdout.write(`The data and logs are in ${dataDir}\n`);
  });

  const diagnose = async () => {
    const { exitCode, document, stderr } = await runAdmin(stack.environment, ['doctor'], 'source');
    if (document === undefined)
      throw new Error(`doctor printed no document (exit code ${exitCode}): ${stderr}`);
    return { exitCode, ...(document as Diagnosis) };
  };
  const becomesClean = async () => {
    let last: Diagnosis | undefined;
    const isClean = async () => (last = await diagnose()).clean;
    await waitFor(isClean, { deadlineMs: 60_000, what: 'a clean doctor' }).catch((error: unknown) => {
      throw new Error(`doctor is not clean: ${JSON.stringify(last?.faults)}`, { cause: error });
    });
  };

  it.each(faults)('$title makes doctor exit with 1 within 60 s, and its alert fires', async (fault) => {
    await becomesClean();
    let before: Samples = new Map();
    // Processes remember what they have read for some seconds.
    const noAlertFires = async () => isQuiet((before = await scrapeMetrics(stack.healthUrls)));
    await waitFor(noAlertFires, { deadlineMs: 60_000, everyMs: 1_000, what: 'metrics without an alert' });
    const causedAt = performance.now();
    const end = await fault.cause({ stack, dataDir, merchantId });
    try {
      let found: Awaited<ReturnType<typeof diagnose>> | undefined;
      const isFound = async () => {
        found = await diagnose();
        return (found.faults[fault.finding] ?? 0) > 0;
      };
      const deadline = { deadlineMs: 60_000, what: `${fault.finding} in doctor` };
      await waitFor(isFound, deadline).catch((error: unknown) => {
        throw new Error(`doctor found ${JSON.stringify(found)}`, { cause: error });
      });
      const seconds = ((performance.now() - causedAt) / 1_000).toFixed(1);
      expect(found).toMatchObject({ exitCode: 1, clean: false });
      const fires = async () => firesAfter(fault.alert, before, await scrapeMetrics(stack.healthUrls));
      await waitFor(fires, { deadlineMs: 60_000, everyMs: 1_000, what: `the alert ${fault.alert}` });
      process.stdout.write(`${fault.title}: doctor reported ${fault.finding} after ${seconds} s\n`);
    } finally {
      await end();
    }
    passed++;
  });
});
