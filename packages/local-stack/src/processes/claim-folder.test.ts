import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { claimFolder } from './claim-folder.ts';
import { openLogFile } from './log-file.ts';
import { identityOf } from './process-identity.ts';
import { startProcess } from './start-process.ts';
import type { RunningProcess } from './start-process.ts';

describe('claimFolder', () => {
  const folder = temporaryFolder();
  const claimPath = join(folder.path, 'claim.json');
  let sleeper: RunningProcess;
  beforeEach(async () => {
    sleeper = await startProcess({
      command: 'sleep',
      args: ['600'],
      log: openLogFile(join(folder.path, 'log')),
    });
  });
  afterEach(() => sleeper.stop());
  afterAll(() => folder.remove());

  /** Rewrites the claim as one whose owner has ended: no process has started at time 0. */
  function simulateEndedOwner(): void {
    const claim = JSON.parse(readFileSync(claimPath, 'utf8')) as { owner: { identity: string } };
    claim.owner.identity = '0';
    writeFileSync(claimPath, JSON.stringify(claim));
  }

  it('refuses a folder while its owner is running', async () => {
    const claim = await claimFolder(folder.path);
    await expect(claimFolder(folder.path)).rejects.toThrow(`is used by process ${process.pid}`);
    claim.release();
  });

  it('ends the processes of an owner that was killed', async () => {
    const claim = await claimFolder(folder.path);
    claim.record([sleeper.pid]);
    simulateEndedOwner();
    const next = await claimFolder(folder.path);
    expect(identityOf(sleeper.pid)).toBeUndefined();
    next.release();
  });

  it('does not end a later process that has the pid of a recorded one', async () => {
    const claim = await claimFolder(folder.path);
    claim.record([sleeper.pid]);
    simulateEndedOwner();
    const written = readFileSync(claimPath, 'utf8');
    writeFileSync(claimPath, written.replaceAll(`"identity":"${identityOf(sleeper.pid)}"`, '"identity":"1"'));
    const next = await claimFolder(folder.path);
    expect(identityOf(sleeper.pid)).toBeDefined();
    next.release();
  });
});
