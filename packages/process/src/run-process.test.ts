import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot, waitFor } from '@rewardhook/testing';

/** Runs a fixture to its end. */
function run(fixture: string): Promise<{ code: number; output: string }> {
  const args = ['--import', 'tsx', '-C', 'source', `packages/process/src/fixtures/${fixture}.ts`];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: projectRoot }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

describe('runProcess', () => {
  it('A failing process releases its resources before it exits with code 1, however often fail is called', async () => {
    const { code, output } = await run('failing-process');
    expect(output).toContain('stuck again');
    expect(output).toContain('work released');
    expect(code).toBe(1);
  });

  it('An error that nothing catches ends no process that serves others, unless its memory is in doubt', async () => {
    const args = ['--import', 'tsx', '-C', 'source', 'packages/process/src/fixtures/serving-process.ts'];
    const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const find = (pattern: RegExp) => pattern.exec(output)?.[1];
    await waitFor(() => output.includes('"started"'), { deadlineMs: 30_000, what: 'the process' });
    const url = `http://127.0.0.1:${find(/"port":(\d+)/)}`;
    const ask = async (path: string) => (await fetch(url + path)).text();
    for (const path of ['/throw', '/reject', '/']) expect(await ask(path)).toBe('answered');
    await waitFor(() => output.includes('rejected outside'), { what: 'both lines of the log' });
    expect(output).toContain('thrown outside of a handler');
    const metrics = await (await fetch(`${find(/"health":"([^"]+)"/)}/metrics`)).text();
    expect(metrics).toMatch(/^rewardhook_uncaught_errors_total(\{.*\})? 2$/m);
    await ask('/memory').catch(() => undefined);
    expect(await exited).toEqual([1, null]);
    expect(output).toContain('Array buffer allocation failed');
  }, 60_000);
});
