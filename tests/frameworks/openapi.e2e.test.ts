import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { installLocked } from '../harness/install-locked.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('Spectral finds no error in docs/openapi.json with its rules for OpenAPI', async () => {
  const ruleset = join(folder.path, 'spectral.yaml');
  writeFileSync(ruleset, 'extends: ["spectral:oas"]\n');
  const spectral = join(await installLocked('tests/frameworks'), '@stoplight/spectral-cli/dist/index.js');
  const words = ['lint', '--ruleset', ruleset, '--format', 'json', join(projectRoot, 'docs/openapi.json')];
  // Ends with 1 when there is an error.
  const { stdout } = await promisify(execFile)(process.execPath, [spectral, ...words], {
    maxBuffer: 10_000_000,
  }).catch((error: { stdout: string }) => error);
  const findings = JSON.parse(stdout.slice(0, stdout.lastIndexOf(']') + 1)) as {
    severity: number;
    message: string;
  }[];
  expect(findings.filter(({ severity }) => severity === 0)).toEqual([]);
}, 300_000);
