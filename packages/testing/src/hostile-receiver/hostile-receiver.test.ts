import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HostileBehaviour } from './behaviour.ts';
import { selfSigned } from './self-signed.ts';
import { startHostileReceiver, type HostileOptions, type HostileReceiver } from './hostile-receiver.ts';
import { waitFor } from '@rewardhook/local-stack';

const request = 'POST /hook?a=b HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\nbody';
let receiver: HostileReceiver;
let client: Socket;
let heard = '';
afterEach(async () => {
  client.destroy();
  await receiver.close();
});

async function dial(options: HostileOptions, sent = request): Promise<void> {
  receiver = await startHostileReceiver(options);
  client = connect(receiver.port, '127.0.0.1');
  heard = '';
  client.on('data', (chunk) => (heard += chunk.toString('latin1'))).on('error', () => undefined);
  await once(client, 'connect');
  client.write(sent);
}

const hears = (text: string) => waitFor(() => heard.includes(text), { what: text, everyMs: 5 });
const ended = (how: 'end' | 'close') => once(client, how);

describe('The hostile receiver', () => {
  it('responds with 200 by default, and stores requests unchanged', async () => {
    await dial({}, request + request);
    await waitFor(() => heard.split('200 Said').length === 3);
    expect([receiver.connections(), receiver.openConnections()]).toEqual([1, 1]);
    expect(receiver.requests).toEqual(
      Array(2).fill({
        connection: 1,
        method: 'POST',
        path: '/hook?a=b',
        head: request.slice(0, -8),
        body: Buffer.from('body'),
      }),
    );
    expect(receiver.bytesSent()).toBe(heard.length);
  });

  it('follows the script of a path and repeats its last behaviour', async () => {
    await dial({}, '');
    receiver.script('/hook?a=b', { does: 'answer', status: 500 }, { does: 'answer', status: 410 });
    client.write(request);
    await hears('500');
    client.write(request + request);
    await waitFor(() => heard.split('410').length === 3);
  });

  it.each<[string, HostileBehaviour]>([
    ['', { does: 'close', at: 'head' }],
    ['', { does: 'close', at: 'request' }],
    ['HTTP/1.1 20', { does: 'close', at: 'status' }],
    ['HTTP/1.1 200 OK\r\ncontent-type: text/pl', { does: 'close', at: 'headers' }],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', { does: 'close', at: 'body' }],
  ])('sends "%s" and nothing more when it closes at this phase', async (said, behaviour) => {
    await dial({ behave: () => behaviour });
    await ended('close');
    expect(heard).toBe(said);
  });

  it('hangs at the configured phase with the connection open', async () => {
    await dial({ behave: () => ({ does: 'hang', at: 'body' }) });
    await hears('half');
    expect(receiver.openConnections()).toBe(1);
    client.destroy();
    await waitFor(() => receiver.openConnections() === 0);
  });

  it('reads nothing when it hangs on accepting, and detects closed connections when it resumes reading', async () => {
    await dial({ greet: () => ({ does: 'hang' }) });
    await waitFor(() => receiver.connections() === 1);
    client.destroy();
    receiver.readOn();
    await waitFor(() => receiver.openConnections() === 0);
    expect(receiver.requests).toEqual([]);
  });

  it('greets each connection as configured', async () => {
    await dial({ greet: (n) => (n === 1 ? { does: 'send', bytes: 'hello' } : { does: 'reset' }) });
    await hears('hello');
    const [error] = (await once(connect(receiver.port, '127.0.0.1').resume(), 'error')) as [Error];
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it.each(['headers', 'body'] as const)('sends its %s byte by byte', async (part) => {
    await dial({ behave: () => ({ does: 'drip', part, everyMs: 1 }) });
    await hears('....');
  });

  it.each(['headers', 'body', 'chunks', 'informational'] as const)(
    'sends its %s without end until the client stops reading',
    async (part) => {
      await dial({ behave: () => ({ does: 'flood', part }) });
      await waitFor(() => heard.length > 100_000);
    },
  );

  it('sends a small body that unpacks to a large one', async () => {
    await dial({ behave: () => ({ does: 'bomb', coding: 'br', mebibytes: 16 }) });
    await hears('content-encoding: br');
    expect(receiver.bytesSent()).toBeLessThan(10_000);
  });

  it('uses TLS with the given certificate, also for other names and times', async () => {
    const tls = selfSigned({ names: ['shop.example.com', '127.0.0.2'], validDays: [-5, -2] });
    await dial(
      { tls, behave: ({ connection }) => ({ does: 'answer', body: `connection ${connection}` }) },
      '',
    );
    const secure = connectTls({ port: receiver.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    const certificate = secure.getPeerCertificate();
    expect(certificate.subjectaltname).toBe('DNS:shop.example.com, IP Address:127.0.0.2');
    expect(Date.parse(certificate.valid_to)).toBeLessThan(Date.now());
    secure.write(request);
    const [answer] = (await once(secure, 'data')) as [Buffer];
    expect(answer.toString()).toContain('200');
    await waitFor(() => receiver.requests[0]?.connection === 2);
    secure.destroy();
  });
});
