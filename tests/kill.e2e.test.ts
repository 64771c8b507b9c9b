import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeStackData } from '@rewardhook/testing/servers';
import { openEnvironment } from './harness/service-under-load/open-environment.ts';
import type { LoadEnvironment } from './harness/service-under-load/open-environment.ts';
import { checkEverything } from './harness/service-under-load/checks/check-everything.ts';
import { waitUntilIdle } from './harness/service-under-load/checks/wait-until-idle.ts';
import { killWhileWorking } from './harness/service-under-load/kill-process.ts';
import { describeDeliveries, describeTraffic } from './harness/service-under-load/describe.ts';

// As in production: separate processes, built code, servers that sync to the disk.
jest.setTimeout(240_000);

// webhook-delivery first: the deliveries of a killed process wait longest, until their lease expires (30 s).
const names = ['webhook-delivery', 'postgres', 'redis', 'reward-evaluation', 'sync', 'api'];

describe('SIGKILL under load', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-kill-'));
  let environment: LoadEnvironment;
  let passed = false;
  beforeAll(async () => {
    environment = await openEnvironment({
      dataDir,
      senders: 1,
      ordersPerRequest: 60,
      pauseMs: 300,
      seed: 1,
      log: () => undefined,
    });
  });
  afterAll(async () => {
    await environment?.close();
    if (passed) removeStackData(dataDir);
    else process.stdout.write(`The data and logs are in ${dataDir}\n`);
  });

  it.each(names)('%s is started again after it is killed', async (name) => {
    await killWhileWorking(environment, name);
    expect(environment.stack.restarts(name)).toBe(1);
  });

  it('No order is lost and no reward is given twice', async () => {
    await environment.load.stop();
    await waitUntilIdle(environment, 120_000);
    const findings = await checkEverything(environment);
    process.stdout.write(`${describeTraffic(environment)}\n${describeDeliveries(findings)}\n`);
    expect(findings.problems).toEqual([]);
    passed = true;
  });
});
