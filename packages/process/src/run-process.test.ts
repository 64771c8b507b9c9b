import { execFile } from 'node:child_process';
import { projectRoot } from '@rewardhook/testing';

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
});
