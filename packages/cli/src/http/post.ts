import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, OutgoingRequest, Send } from '@rewardhook/certify';

/** The limits of the service: complete exchange, bytes that are read, bytes that are kept. */
const exchangeTimeoutMs = 15_000;
/** From the head of the response to the end of its body. */
const bodyTimeoutMs = 2_000;
const maxResponseBytes = 65_536;
const keepResponseBytes = 16_384;

/** Posts to one URL with connections of its own, until it is closed. */
export type Receiver = {
  send: (request: OutgoingRequest, signal?: AbortSignal) => Promise<Answer>;
  close: () => void;
};

/**
 * Opens a client with the limits of the service. Unlike the service it also posts to http and to addresses that are not
 * public: the receiver is usually on this machine.
 */
export function openReceiver(url: URL, timeoutMs = exchangeTimeoutMs): Receiver {
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const open = secure ? requestHttps : requestHttp;

  const send = ({ headers, body, pace }: OutgoingRequest, signal?: AbortSignal): Promise<Answer> =>
    new Promise((resolve) => {
      const started = performance.now();
      let response: IncomingMessage | undefined;
      let text = Buffer.alloc(0);
      let settled = false;
      let bodyTimer: NodeJS.Timeout | undefined;
      const settle = (answer: (sent: Pick<Answer, 'timings' | 'connectionReused'>) => Answer): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        clearTimeout(bodyTimer);
        signal?.removeEventListener('abort', abort);
        const totalMs = Math.round((performance.now() - started) * 100) / 100;
        resolve(answer({ timings: { totalMs }, connectionReused: request.reusedSocket }));
      };
      // As the service does: the status line decides, whatever follows it.
      const fail = (errorClass: string, message: string): void => {
        if (response) complete(response);
        settle((sent) => ({
          ...sent,
          result: 'error',
          errorClass,
          message,
        }));
        request.destroy();
      };
      const complete = (message: IncomingMessage): void =>
        settle((sent) => ({
          ...sent,
          result: 'response',
          status: message.statusCode ?? 0,
          responseHeaders: headersOf(message),
          responseBody: kept(text),
        }));
      const timer = setTimeout(() => {
        fail('timeout', `no complete answer within ${timeoutMs / 1_000} s`);
      }, timeoutMs);
      const abort = (): void => fail('aborted', 'aborted');
      const request: ClientRequest = open(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
      });
      request.on('error', (error) => fail(...describeError(error)));
      request.on('response', (message) => {
        response = message;
        message.on('data', (chunk: Buffer) => {
          text = Buffer.concat([text, chunk]);
          if (text.length > maxResponseBytes) {
            complete(message);
            request.destroy();
          }
        });
        bodyTimer = setTimeout(() => fail('timeout', 'the body did not end'), bodyTimeoutMs);
        message.on('end', () => complete(message));
        message.on('error', (error) => fail(...describeError(error)));
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      if (pace) void writeSlowly(request, body, pace, () => settled);
      else request.end(body);
    });

  return { send, close: () => agent.destroy() };
}

/** The sender of the checks. */
export const senderOf =
  ({ send }: Receiver): Send =>
  (request) =>
    send(request, request.signal);

async function writeSlowly(
  request: ClientRequest,
  body: Uint8Array,
  { pieces, intervalMs }: NonNullable<OutgoingRequest['pace']>,
  isOver: () => boolean,
): Promise<void> {
  const size = Math.ceil(body.length / pieces);
  for (let start = 0; start < body.length; start += size) {
    if (start > 0) await wait(intervalMs);
    // An answer that came before the end of the body leaves a connection that cannot be used again.
    if (isOver()) return void request.destroy();
    request.write(body.subarray(start, start + size));
  }
  request.end();
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** The beginning of a response as printable text. */
function kept(bytes: Buffer): string {
  return bytes.subarray(0, keepResponseBytes).toString('utf8').replaceAll('\0', '');
}

const classOfCode = new Map<string, string>(
  Object.entries({
    ECONNREFUSED: 'connect',
    EHOSTUNREACH: 'connect',
    ENETUNREACH: 'connect',
    ETIMEDOUT: 'timeout',
    ENOTFOUND: 'dns',
    EAI_AGAIN: 'dns',
    ECONNRESET: 'reset',
    EPIPE: 'reset',
  }),
);

const sentences = new Map<string, string>(
  Object.entries({
    ECONNREFUSED: 'connection refused: nothing listens on this host and port',
    ENOTFOUND: 'the host name does not resolve',
    EAI_AGAIN: 'the host name cannot be resolved at the moment',
    ECONNRESET: 'the receiver closed the connection',
    EPIPE: 'the receiver closed the connection',
    EHOSTUNREACH: 'the host cannot be reached',
    ENETUNREACH: 'the network cannot be reached',
  }),
);

/** The class and one line about an error. Several addresses of a name give one error with a list. */
function describeError(error: Error): [errorClass: string, message: string] {
  const first: Error = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { code = '', message } = first as NodeJS.ErrnoException;
  const errorClass =
    classOfCode.get(code) ?? (/TLS|CERT|SSL|SELF_SIGNED|UNABLE_TO/.test(code) ? 'tls' : 'http');
  return [errorClass, sentences.get(code) ?? (message || code)];
}
