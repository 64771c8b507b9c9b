import { rmSync } from 'node:fs';
import { stopServers } from './servers-of-run.ts';

/** Stops the servers of the run, if any test file needed them, and removes its folder. */
export default async function globalTeardown(): Promise<void> {
  const folder = String(process.env['TEST_RUN_FOLDER']);
  await stopServers(folder);
  rmSync(folder, { recursive: true, force: true });
}
