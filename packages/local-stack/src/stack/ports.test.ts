import { createServer } from 'node:net';
import { isPortFree } from '../processes/free-ports.ts';
import { choosePorts } from './ports.ts';

describe('the ports of a stack', () => {
  const taking = createServer();
  beforeAll(async () => {
    // Somebody else may have the port: taken is taken.
    if (await isPortFree(3001))
      await new Promise<void>((resolve) => taking.listen(3001, '127.0.0.1', resolve));
  });
  afterAll(() => {
    taking.close();
  });

  it('tells which fixed port is taken, and the way out', async () => {
    await expect(choosePorts('fixed', ['dashboard'])).rejects.toThrow(
      'Port 3001 (dashboard) is taken by another program. Stop it, or use free ports: --ports auto',
    );
  });

  it('moves only what has to move when the fixed ones are merely preferred', async () => {
    const ports = await choosePorts('preferred', ['dashboard']);
    expect(ports.dashboard).not.toBe(3001);
    expect(ports.api).toBe(3000);
  });

  it('does not mind a taken port that is not needed', async () => {
    expect((await choosePorts('fixed', [])).dashboard).toBe(3001);
  });

  it('finds five different free ones', async () => {
    const ports = Object.values(await choosePorts('auto', []));
    expect(new Set(ports).size).toBe(5);
    for (const port of ports) expect(await isPortFree(port)).toBe(true);
  });
});
