import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../project-root.ts';
import { freePort, freePorts, isPortFree } from './free-ports.ts';

const program = `
  const { freePorts } = await import('./packages/local-stack/src/processes/free-ports.ts');
  console.log(JSON.stringify(await freePorts(200)));
  process.stdin.resume();
`;

describe('The port finder', () => {
  it('never finds a port twice, in this process and in others', async () => {
    const started = [1, 2].map(() => {
      const found = promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', '--input-type=module', '-e', program],
        { cwd: projectRoot },
      );
      const { child } = found;
      const ports = new Promise<number[]>((resolve, reject) => {
        found.catch(reject);
        let text = '';
        child.stdout?.on('data', (chunk: string) => {
          text += chunk;
          if (text.includes('\n')) resolve(JSON.parse(text) as number[]);
        });
      });
      return { ports, end: () => child.stdin?.end(), ended: found };
    });
    const [one, other] = await Promise.all(started.map(({ ports }) => ports));
    const own = await freePorts(200);
    expect(new Set([...own, ...(one ?? []), ...(other ?? [])]).size).toBe(600);
    for (const { end } of started) end();
    await Promise.all(started.map(({ ended }) => ended));
  });

  it('finds a port on which a server can listen', async () => {
    expect(await isPortFree(await freePort())).toBe(true);
  });
});
