import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { identityOf } from './process-identity.ts';

describe('A child process', () => {
  it('ends soon after its parent is killed with SIGKILL', async () => {
    const folder = temporaryFolder();
    const fixture = 'packages/local-stack/src/processes/fixtures/sleeper-owner.ts';
    const owner = spawn(process.execPath, ['--import', 'tsx', fixture, join(folder.path, 'log')], {
      cwd: projectRoot,
    });
    const [printed] = (await once(owner.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(identityOf(pid)).toBeDefined();

    owner.kill('SIGKILL');

    await waitFor(() => identityOf(pid) === undefined, { what: 'the end of the orphan' });
    folder.remove();
  });
});
