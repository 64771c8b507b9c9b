import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Client } from 'pg';
import { identityOf } from '../processes/process-identity.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { startRedis } from './redis.ts';
import type { Server } from './server.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import type { TcpProxy } from './tcp-proxy.ts';

describe('The private Redis', () => {
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

describe('A TCP proxy in front of Redis', () => {
  const redisUrl = String(process.env['TEST_REDIS_URL']);

  /** A connection to a Redis, on which commands are written as they are. */
  interface Connection {
    socket: Socket;
    write(text: string): void;
    /** Resolves with all that was received, when this has been. @throws when the connection ends before */
    received(text: string): Promise<string>;
    /** Resolves with all that was received, when the connection has ended. */
    ended: Promise<string>;
  }

  function open(url: string): Connection {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    let all = '';
    socket.on('data', (chunk) => (all += chunk.toString()));
    socket.on('error', () => undefined);
    return {
      socket,
      write: (text) => void socket.write(text),
      async received(text) {
        while (!all.includes(text)) {
          if (socket.closed) throw new Error(`the connection ended after "${all}"`);
          await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        }
        return all;
      },
      ended: once(socket, 'close').then(() => all),
    };
  }

  /** Sends one command on a new connection. Resolves with the answer, or undefined when the connection ended without one. */
  async function send(url: string, command: string): Promise<string | undefined> {
    const connection = open(url);
    connection.write(`${command}\r\n`);
    const answer = await connection.received('\r\n').catch(() => undefined);
    connection.socket.destroy();
    return answer?.trim();
  }

  let proxy: TcpProxy;
  let key: string;
  beforeEach(async () => {
    key = `tcp-proxy-${randomUUID()}`;
    proxy = await startTcpProxy(redisUrl);
  });
  afterEach(async () => {
    await proxy.close();
    await send(redisUrl, `DEL ${key}`);
  });
  const stored = () => send(redisUrl, `STRLEN ${key}`);

  it('forwards requests and answers', async () => {
    expect(await send(proxy.url, 'PING')).toBe('+PONG');
  });

  it('that is cut ends its connections and refuses others, until it is open again', async () => {
    const connection = open(proxy.url);
    connection.write('PING\r\n');
    await connection.received('+PONG');
    proxy.set('cut');
    await connection.ended;
    expect(await send(proxy.url, 'PING')).toBeUndefined();
    proxy.set('open');
    expect(await send(proxy.url, 'PING')).toBe('+PONG');
  });

  it('that is frozen forwards nothing, and ends its connections when it is open again', async () => {
    const connection = open(proxy.url);
    connection.write('PING\r\n');
    await connection.received('+PONG');
    proxy.set('frozen');
    connection.write(`APPEND ${key} x\r\n`);
    const other = open(proxy.url);
    await once(other.socket, 'connect');
    proxy.set('open');
    expect(await connection.ended).toBe('+PONG\r\n');
    expect(await stored()).toBe(':0');
  });

  it('that is mute forwards requests, and ends the connection instead of answering', async () => {
    proxy.set('mute');
    expect(await send(proxy.url, `APPEND ${key} x`)).toBeUndefined();
    expect(await stored()).toBe(':1');
  });

  it('that delays forwards later, in both directions and in order', async () => {
    const connection = open(proxy.url);
    const start = performance.now();
    proxy.delay(200);
    connection.write('ECHO first\r\n');
    await proxy.passed('first');
    // A timer may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(195);
    connection.write('ECHO second\r\n');
    await connection.received('first');
    expect(performance.now() - start).toBeGreaterThan(390);
    proxy.delay(0);
    connection.write('ECHO third\r\n');
    expect(await connection.received('third')).toMatch(/first[^]*second[^]*third/);
  });

  it('delays the end of a connection behind what was sent before it', async () => {
    proxy.delay(100);
    const connection = open(proxy.url);
    connection.write(`APPEND ${key} x\r\n`);
    connection.socket.end();
    await proxy.passed(key);
    await waitFor(async () => (await stored()) === ':1', { what: 'the request of the closed connection' });
  });

  it('swallows the answer of one request, and of no other', async () => {
    const other = open(proxy.url);
    other.write('PING\r\n');
    await other.received('+PONG');
    const swallowed = proxy.swallowAnswer(key);
    expect(await send(proxy.url, `APPEND ${key} x`)).toBeUndefined();
    await swallowed;
    expect(await stored()).toBe(':1');
    other.write('ECHO still open\r\n');
    other.write(`APPEND ${key} x\r\n`);
    await other.received(':2');
  });

  it('swallows the answers of what was sent together with the request, which the server has handled by then', async () => {
    const swallowed = proxy.swallowAnswer(Buffer.from(key));
    const connection = open(proxy.url);
    // Redis refuses an inline command of more than 64 KiB.
    connection.write(`ECHO ${'x'.repeat(60_000)}\r\nAPPEND ${key} x\r\nAPPEND ${key} x\r\n`);
    await swallowed;
    await connection.ended;
    expect(await stored()).toBe(':2');
  });

  it('finds a request whose bytes come in several chunks', async () => {
    const swallowed = proxy.swallowAnswer(`APPEND ${key}`);
    const connection = open(proxy.url);
    for (const part of ['PING\r\nAPP', `END ${key.slice(0, 20)}`]) {
      const passed = proxy.passed(part);
      connection.write(part);
      await passed;
    }
    await connection.received('+PONG');
    connection.write(`${key.slice(20)} x\r\n`);
    await swallowed;
    expect(await connection.ended).toBe('+PONG\r\n');
    expect(await stored()).toBe(':1');
  });

  it('waits for the next such request when a connection ends before its answer has come', async () => {
    const swallowed = proxy.swallowAnswer(key);
    const blocked = open(proxy.url);
    const passed = proxy.passed(key);
    blocked.write(`BLPOP ${key} 0\r\n`);
    await passed;
    blocked.socket.destroy();
    const isSwallowed = async () => (await send(proxy.url, `APPEND ${key} x`)) === undefined;
    await waitFor(isSwallowed, { what: 'a request without an answer' });
    expect(await swallowed).toBe(true);
  });

  it('swallows nothing more after it was aborted', async () => {
    const [waits, forwarded] = [new AbortController(), new AbortController()];
    const swallowed = proxy.swallowAnswer(key, waits.signal);
    waits.abort();
    expect(await swallowed).toBe(false);
    expect(await send(proxy.url, `APPEND ${key} x`)).toBe(':1');

    const blocked = open(proxy.url);
    const other = proxy.swallowAnswer('BLPOP', forwarded.signal);
    const passed = proxy.passed('BLPOP');
    blocked.write(`BLPOP ${key}-list 0\r\n`);
    await passed;
    forwarded.abort();
    blocked.socket.destroy();
    expect(await other).toBe(false);
    const next = open(proxy.url);
    next.write(`BLPOP ${key}-list 0.01\r\n`);
    await next.received('*-1');
  });
});

it('A TCP proxy in front of PostgreSQL swallows the answer of a commit, which has taken place', async () => {
  const databaseUrl = String(process.env['TEST_DATABASE_URL']);
  const proxy = await startTcpProxy(databaseUrl);
  // Not the template of the tests, which nobody else may be connected to while it is copied.
  const inPostgres = (url: string) => {
    const { href } = Object.assign(new URL(url), { pathname: '/postgres' });
    const client = new Client({ connectionString: href });
    client.on('error', () => undefined);
    return client;
  };
  const [client, direct] = [inPostgres(proxy.url), inPostgres(databaseUrl)];
  await Promise.all([client.connect(), direct.connect()]);
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
    const swallowed = proxy.swallowAnswer('COMMIT');
    await expect(client.query('COMMIT')).rejects.toThrow(/terminated/);
    await swallowed;
    const { rows: states } = await direct.query('SELECT pg_xact_status($1::xid8) AS state', [rows[0]?.id]);
    expect(states).toEqual([{ state: 'committed' }]);
  } finally {
    await Promise.all([client.end().catch(() => undefined), direct.end()]);
    await proxy.close();
  }
});
