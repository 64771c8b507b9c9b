import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { claimFolder } from './claim-folder.ts';
import { openLogFile } from './log-file.ts';
import { identityOf } from './process-identity.ts';
import { startProcess } from './start-process.ts';
import type { RunningProcess } from './start-process.ts';

describe('claiming a data folder', () => {
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

  /** Rewrites the claim as one whose owner is dead: no process has started at time 0. */
  function forgeDeadOwner(): void {
    const claim = JSON.parse(readFileSync(claimPath, 'utf8')) as { owner: { identity: string } };
    claim.owner.identity = '0';
    writeFileSync(claimPath, JSON.stringify(claim));
  }

  it('is refused while its owner lives', async () => {
    const claim = await claimFolder(folder.path);
    await expect(claimFolder(folder.path)).rejects.toThrow(
      `is used by process ${process.pid}`,
    );
    claim.release();
  });

  it('ends what a dead owner has left running', async () => {
    const claim = await claimFolder(folder.path);
    claim.record([sleeper.pid]);
    forgeDeadOwner();
    const next = await claimFolder(folder.path);
    expect(identityOf(sleeper.pid)).toBeUndefined();
    next.release();
  });

  it('leaves alone a later process with the pid of one that was left', async () => {
    const claim = await claimFolder(folder.path);
    claim.record([sleeper.pid]);
    forgeDeadOwner();
    const written = readFileSync(claimPath, 'utf8');
    writeFileSync(claimPath, written.replaceAll(`"identity":"${identityOf(sleeper.pid)}"`, '"identity":"1"'));
    const next = await claimFolder(folder.path);
    expect(identityOf(sleeper.pid)).toBeDefined();
    next.release();
  });
});
