import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, removeStackData } from '@rewardhook/testing';
import { openEnvironment } from '../chaos/environment/open-environment.ts';
import type { ChaosEnvironment } from '../chaos/environment/open-environment.ts';
import { checkEverything } from '../chaos/checks/check-everything.ts';
import { waitUntilQuiet } from '../chaos/checks/wait-until-quiet.ts';
import { killAtWork } from '../chaos/faults/kill-process.ts';
import { describeDeliveries, describeTraffic } from '../chaos/report.ts';

// What is killed runs as in production: processes of its own, built code, servers that sync to the disk.
jest.setTimeout(240_000);

// First the one whose work comes due again the latest: a killed sender's deliveries wait for its lease (30 s).
const victims = ['webhook-delivery', 'postgres', 'redis', 'reward-evaluation', 'sync', 'api'];

describe('a SIGKILL under load', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-kill-'));
  let environment: ChaosEnvironment;
  let proven = false;
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], {
      cwd: projectRoot,
    });
    const say = () => undefined;
    environment = await openEnvironment({
      dataDir,
      lanes: 1,
      ordersPerRequest: 60,
      pauseMs: 300,
      seed: 1,
      say,
    });
  });
  afterAll(async () => {
    await environment?.close();
    if (proven) removeStackData(dataDir);
    else process.stdout.write(`The data and logs are left in ${dataDir}\n`);
  });

  it.each(victims)('brings %s back', async (name) => {
    await killAtWork(environment, name);
    expect(environment.stack.restarts(name)).toBe(1);
  });

  it('loses and doubles nothing', async () => {
    await environment.load.stop();
    await waitUntilQuiet(environment, 120_000);
    const findings = await checkEverything(environment);
    process.stdout.write(`${describeTraffic(environment)}\n${describeDeliveries(findings)}\n`);
    expect(findings.problems).toEqual([]);
    proven = true;
  });
});
