import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes the folder of the run, which its test files share. Servers start when a test file needs them. */
export default function globalSetup(): void {
  process.env['TEST_RUN_FOLDER'] = mkdtempSync(join(tmpdir(), 'rewardhook-jest-'));
  process.env['TEST_RUN_PID'] = String(process.pid);
}
