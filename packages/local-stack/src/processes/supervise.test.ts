import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { openLogFile } from './log-file.ts';
import { identityOf } from './process-identity.ts';
import { startProcess } from './start-process.ts';
import { supervise } from './supervise.ts';
import type { ProcessChange, Supervised } from './supervise.ts';

describe('supervise', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const log = openLogFile(join(folder.path, 'log'));
  const run = (script: string) => () => startProcess({ command: 'sh', args: ['-c', script], log });
  let supervised: Supervised | undefined;
  afterEach(() => supervised?.stop(1_000));

  it('restarts a process that was killed', async () => {
    const changes: ProcessChange[] = [];
    supervised = await supervise({
      name: 'sleeper',
      start: run('exec sleep 600'),
      onChange: (change) => changes.push(change),
    });
    const first = supervised.pid();

    supervised.kill('SIGKILL');

    const second = await waitFor(() => supervised?.pid() !== first && supervised?.pid());
    expect(supervised.restarts()).toBe(1);
    expect(changes).toEqual([
      { name: 'sleeper', started: first },
      { name: 'sleeper', exit: { code: null, signal: 'SIGKILL' } },
      { name: 'sleeper', started: second },
    ]);
  });

  it('retries when a restart fails', async () => {
    let starts = 0;
    const failures: unknown[] = [];
    supervised = await supervise({
      name: 'moody',
      start: () => {
        starts++;
        if (starts === 2) return Promise.reject(new Error('not now'));
        return run('exec sleep 600')();
      },
      onChange: ({ failed }) => failed && failures.push(failed),
    });

    supervised.kill('SIGKILL');

    await waitFor(() => starts === 3 && supervised?.pid());
    expect(failures).toEqual([new Error('not now')]);
  });

  it('kills a process that does not end by the deadline, and does not restart it', async () => {
    supervised = await supervise({
      name: 'stubborn',
      start: run('trap "" TERM; echo trapped; while :; do sleep 1; done'),
    });
    const pid = supervised.pid() as number;
    await waitFor(() => log.tail().endsWith('trapped'));

    await supervised.stop(100);

    expect(identityOf(pid)).toBeUndefined();
    expect(supervised.restarts()).toBe(0);
  });

  it('throws when the first start fails', async () => {
    const start = () => startProcess({ command: '/no/such/program', args: [], log });
    await expect(supervise({ name: 'missing', start })).rejects.toThrow('ENOENT');
  });
});
