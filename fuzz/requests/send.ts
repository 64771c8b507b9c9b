import { Agent, request } from 'node:http';
import type { FuzzRequest } from './fuzz-request.ts';

/** What a server answered; without a status, what became of the connection. */
export interface FuzzAnswer {
  status?: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  error?: string;
}

/** A header that the client itself does not send says nothing about the server. */
export const cannotBeSent = 'cannot be sent';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const timeoutMs = 30_000;

/** Sends a request as it is, on a connection that is kept. */
export async function send(url: string, sent: FuzzRequest): Promise<FuzzAnswer> {
  const first = await sendOnce(url, sent);
  // A server may close a connection whose request it has refused, and the next request meets its end.
  return first.wasReused && first.error === 'ECONNRESET' ? sendOnce(url, sent) : first;
}

function sendOnce(
  url: string,
  { method, path, headers, body }: FuzzRequest,
): Promise<FuzzAnswer & { wasReused: boolean }> {
  return new Promise((resolve) => {
    const failed = (error: string) =>
      resolve({ headers: {}, text: '', error, wasReused: sent?.reusedSocket ?? false });
    const length =
      body === undefined || 'transfer-encoding' in headers
        ? {}
        : { 'content-length': Buffer.byteLength(body) };
    let sent: ReturnType<typeof request> | undefined;
    try {
      sent = request(url + path, { method, agent, timeout: timeoutMs, headers: { ...length, ...headers } });
    } catch {
      failed(cannotBeSent);
      return;
    }
    const open = sent;
    open.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          wasReused: open.reusedSocket,
        }),
      );
    });
    open.on('timeout', () => open.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    open.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
    open.end(body);
  });
}

/** Closes the connections. */
export const closeConnections = (): void => agent.destroy();
