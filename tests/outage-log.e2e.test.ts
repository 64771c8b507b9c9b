import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildOrder, temporaryFolder } from '@rewardhook/testing';
import { createMerchant, openAdmin, removeStackData, startStack } from '@rewardhook/testing/servers';
import type { Stack } from '@rewardhook/testing/servers';
import { openCleanup } from './harness/cleanup.ts';
import { syncPath } from './harness/call-api.ts';

// As in production: separate processes and built code.
jest.setTimeout(110_000);

const cleanup = openCleanup();
const outageSeconds = 30;
let stack: Stack;
let dataDir: string;
let secretKey: string;
beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  dataDir = join(folder.path, 'stack');
  stack = await startStack({ dataDir });
  cleanup.add(async () => {
    await stack.stop();
    removeStackData(dataDir);
  });
  ({ secretKey } = await createMerchant(openAdmin(stack.environment), 'Shop'));
});
afterAll(() => cleanup.run());

/** The warnings and errors of each process so far. */
function linesOf(): Record<string, string[]> {
  const folder = join(dataDir, 'logs');
  const files = readdirSync(folder).filter((file) => !/^(redis|postgres|migrate)\./.test(file));
  return Object.fromEntries(
    files.map((file) => [
      file.replace('.log', ''),
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => /"level":"(warn|error)"/.test(line)),
    ]),
  );
}

async function send(): Promise<void> {
  const answer = await fetch(stack.apiUrl + syncPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': secretKey },
    body: JSON.stringify({ orders: [buildOrder()] }),
  });
  await answer.text();
}

describe.each(['redis', 'postgres'])('While %s does not answer for 30 s under load', (server) => {
  it('Each process writes at most one warning or error per second', async () => {
    const before = linesOf();
    const loading = new AbortController();
    const load = Array.from({ length: 4 }, async () => {
      while (!loading.signal.aborted) {
        await send().catch(() => undefined);
        await setTimeout(20);
      }
    });
    // A killed server is started again by the stack and killed again, as by a supervisor in a crash loop.
    const end = performance.now() + outageSeconds * 1_000;
    while (performance.now() < end) {
      stack.kill(server, 'SIGKILL');
      await setTimeout(100);
    }
    const after = linesOf();
    loading.abort();
    await Promise.all(load);
    const written = Object.fromEntries(
      Object.entries(after).map(([name, lines]) => [name, lines.length - (before[name]?.length ?? 0)]),
    );
    process.stdout.write(`${server}: ${JSON.stringify(written)}\n`);
    for (const [name, count] of Object.entries(written))
      expect({ name, atMostOnePerSecond: count <= outageSeconds }).toEqual({
        name,
        atMostOnePerSecond: true,
      });
    await stack.waitUntilReady();
  });
});
