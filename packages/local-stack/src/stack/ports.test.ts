import { createServer } from 'node:net';
import { isPortFree } from '../processes/free-ports.ts';
import { choosePorts } from './ports.ts';

describe('choosePorts', () => {
  const taking = createServer();
  beforeAll(async () => {
    // Another process may use the port already; the test needs only that it is in use.
    if (await isPortFree(3001))
      await new Promise<void>((resolve) => taking.listen(3001, '127.0.0.1', resolve));
  });
  afterAll(() => {
    taking.close();
  });

  it('names the fixed port that is in use, and the option that avoids it', async () => {
    await expect(choosePorts('fixed', ['dashboard'])).rejects.toThrow(
      'Port 3001 (dashboard) is used by another program. Stop it, or use free ports: --ports auto',
    );
  });

  it('replaces only the preferred ports that are in use', async () => {
    const ports = await choosePorts('preferred', ['dashboard']);
    expect(ports.dashboard).not.toBe(3001);
    expect(ports.api).toBe(3000);
  });

  it('ignores a port that is in use but not needed', async () => {
    expect((await choosePorts('fixed', [])).dashboard).toBe(3001);
  });

  it('finds five different free ports', async () => {
    const ports = Object.values(await choosePorts('auto', []));
    expect(new Set(ports).size).toBe(5);
    for (const port of ports) expect(await isPortFree(port)).toBe(true);
  });
});
