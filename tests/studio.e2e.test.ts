import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing/servers';
import { freePort, projectRoot, scaled, temporaryFolder } from '@rewardhook/testing';
import { openLogFile, startProcess, waitFor } from '@rewardhook/local-stack';
import { openCleanup } from './harness/cleanup.ts';
import { startFlow } from './harness/start-flow.ts';

jest.setTimeout(110_000);

const cleanup = openCleanup();
afterEach(() => cleanup.run());

it('`npm run studio` shows the rows of a table on loopback, without the network', async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  const flow = await startFlow({ workers: false });
  cleanup.add(() => flow.close());
  const merchant = await flow.openMerchant();
  const port = await freePort();
  const studio = await startProcess({
    command: process.execPath,
    args: [join(projectRoot, 'scripts/run.mjs'), 'studio', '--port', String(port)],
    env: { ...process.env, DATABASE_URL: flow.environment.databaseUrl },
    log: openLogFile(join(folder.path, 'studio.log')),
  });
  cleanup.add(() => studio.stop());
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(url)).ok, { deadlineMs: 60_000, what: 'Prisma Studio' });

  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  cleanup.add(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(scaled(30_000));
  // Its page reports the number of tables to checkpoint.prisma.io, and must work where it cannot.
  await page.route(
    ({ origin }) => origin !== url,
    (route) => route.abort(),
  );
  await page.goto(url);
  await page.getByText('merchants', { exact: true }).first().click();
  await page.getByText(merchant.id).first().waitFor();
});
