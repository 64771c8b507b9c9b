import { createServer as createTlsServer } from 'node:tls';
import { expectError } from './fixtures/expect-error.ts';
import { opened } from './fixtures/opened.ts';
import { selfSigned } from './fixtures/self-signed.ts';

const open = opened();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{}');

describe('an attempt over https', () => {
  it('is a tls error when the certificate is self-signed, and not when its authority is trusted', async () => {
    const { key, cert } = selfSigned();
    const tls = createTlsServer({ key, cert }, (socket) => {
      socket
        .once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
        .on('error', () => undefined);
    });
    const { port } = await open.server(tls);
    const request = { url: `https://127.0.0.1:${port}/`, headers, body };
    expectError(await open.client().attempt(request), 'tls', /self-signed certificate/);

    const outcome = await open.client({ ca: [cert] }).attempt(request);
    expect(outcome).toMatchObject({
      status: 200,
      responseBody: 'ok',
      timings: { tlsMs: expect.any(Number) },
    });
  });

  it('is a tls error when the certificate names another host', async () => {
    const { key, cert } = selfSigned();
    const { port } = await open.server(createTlsServer({ key, cert }));
    const client = open.client({ ca: [cert], resolve: async () => ['127.0.0.1'] });
    const outcome = await client.attempt({ url: `https://other.example.com:${port}/`, headers, body });
    expectError(outcome, 'tls', /altnames/);
  });

  it('is a tls error when plain HTTP answers on an https port', async () => {
    const { port } = await open.tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await open.client().attempt({ url: `https://127.0.0.1:${port}/`, headers, body });
    expectError(outcome, 'tls', /./);
  });
});
