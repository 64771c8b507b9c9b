import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a {@link RecordingProxy} got. */
export interface RecordedRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The status that was answered. */
  status: number;
}

/** An HTTP proxy in front of the API, which records requests and can answer some of them itself. */
export interface RecordingProxy {
  url: string;
  requests: RecordedRequest[];
  /** Answers of the proxy for the next requests, instead of the API's. */
  answers: { status: number; headers?: Record<string, string>; body?: string }[];
  /** Bodies that are larger are answered 413 by the proxy. Default: no limit. */
  maxBodyBytes: number;
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const requests: RecordedRequest[] = [];
  const answers: RecordingProxy['answers'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { url: path = '/', method = 'GET', headers } = request;
    const record = { path, headers, body: body.toString(), status: 0 };
    requests.push(record);
    const tooLarge = { status: 413, headers: { 'content-type': 'text/html' }, body: '<h1>Too large</h1>' };
    const own = body.length > proxy.maxBodyBytes ? tooLarge : answers.shift();
    const { host: _host, connection: _connection, ...passed } = headers as Record<string, string>;
    const answer =
      own ??
      (await fetch(target + path, {
        method,
        headers: passed,
        ...(method === 'GET' ? {} : { body }),
        redirect: 'manual',
      }));
    record.status = answer.status;
    const { 'content-encoding': _encoding, ...returned } = Object.fromEntries(
      new Headers(answer.headers).entries(),
    );
    response.writeHead(answer.status, returned);
    response.end(answer instanceof Response ? Buffer.from(await answer.arrayBuffer()) : (own?.body ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RecordingProxy = {
    maxBodyBytes: Infinity,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
