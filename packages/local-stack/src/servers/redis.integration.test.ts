import { connect } from 'node:net';
import { identityOf } from '../processes/process-identity.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startRedis } from './redis.ts';
import type { Server } from './server.ts';

/** Sends one inline command and resolves with the raw answer. */
function send(server: Server, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
      socket.write(`${command}\r\n`),
    );
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString().trim());
    });
  });
}

describe('The private Redis', () => {
  const folder = temporaryFolder();
  let server: Server;
  afterEach(() => server.stop());
  afterAll(() => folder.remove());

  it('keeps acknowledged writes when it is killed', async () => {
    server = await startRedis({ dir: folder.path });
    expect(await send(server, 'SET kept yes')).toBe('+OK');
    server.kill('SIGKILL');
    await server.exited;

    server = await startRedis({ dir: folder.path, port: Number(new URL(server.url).port) });
    expect(await send(server, 'GET kept')).toBe('$3\r\nyes');
  });

  it('evicts nothing and syncs every write', async () => {
    server = await startRedis({ dir: folder.path });
    expect(await send(server, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    expect(await send(server, 'CONFIG GET appendfsync')).toContain('always');
  });

  it('leaves no process running after it is stopped', async () => {
    server = await startRedis({ dir: folder.path });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(identityOf(server.pid)).toBeUndefined();
  });
});
