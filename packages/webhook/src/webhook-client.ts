import type { ClientRequest } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { AttemptFailure } from './attempt-failure.ts';
import type { AttemptResult } from './attempt-result.ts';
import { checkUrl, hostOf } from './check-url.ts';
import { openConnections } from './connections.ts';
import { Exchange } from './exchange.ts';
import { clientClosed, guardedConnector } from './guarded-connector.ts';
import type { ConnectTarget } from './guarded-connector.ts';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';
import { cacheNames, nameResolver, type ResolveName } from './resolve-name.ts';

/** Options of a webhook client; times in ms. Only the first is required. */
export type WebhookClientOptions = {
  /** Development only: see {@link checkUrl}. */
  allowLoopbackHttp: boolean;
  /** Name lookup, TCP and TLS together. Default 5,000. */
  connectTimeoutMs?: number;
  /** From the call of `attempt` to the last byte of the response. Default 15,000. */
  exchangeTimeoutMs?: number;
  /** From the head of the response to the end of its body, after which the rest is not read. Default 2,000. */
  bodyTimeoutMs?: number;
  /** Bytes of the response body that are read, before decompression. Default 65,536. */
  maxResponseBytes?: number;
  /** Bytes of the response body that are kept, after decompression. Default 16,384. */
  keepResponseBytes?: number;
  /** Maximum number of connections to one origin. Further attempts wait, within their time limit. Default 128. */
  maxSocketsPerOrigin?: number;
  /** An idle connection is closed after this time, or earlier if the server asks for it. Default 4,000. */
  keepAliveMs?: number;
  /** Replaces the name lookup and its cache of 30 s. */
  resolve?: ResolveName;
  /** Certificate authorities (PEM) to trust in addition to the usual ones. */
  ca?: string[];
};

/** One request: usually a POST of the exact body bytes with the headers of `deliveryHeaders`. */
export type AttemptRequest = {
  url: string;
  headers: Record<string, string>;
  /** Omitted for a GET. */
  body?: Uint8Array;
  /** Sends the body in `pieces` of equal size, with `intervalMs` before each after the first. For checks of receivers. */
  pace?: { pieces: number; intervalMs: number };
  /** Default POST. */
  method?: 'POST' | 'GET';
  signal?: AbortSignal | undefined;
};

/** Sends webhooks. `attempt` never rejects; `close` ends the attempts in progress as `aborted`. */
export type WebhookClient = {
  attempt: (request: AttemptRequest) => Promise<AttemptResult>;
  close: () => Promise<void>;
};

/** Maximum size of the response headers, in bytes. */
const maxHeaderSize = 32_768;

/** A busy connection is replaced after this many requests, so that a change of DNS takes effect eventually. */
const maxRequestsPerConnection = 1000;

/**
 * Opens the client that all attempts of a process share, so that connections are reused. Every connection is opened by the
 * guard (see {@link guardedConnector}); one that is reused was checked when it was opened. It uses HTTP/1.1, does not follow
 * redirects, and ignores the proxy settings of the environment.
 */
export function openWebhookClient(options: WebhookClientOptions): WebhookClient {
  const {
    allowLoopbackHttp,
    connectTimeoutMs = 5000,
    exchangeTimeoutMs = 15_000,
    bodyTimeoutMs = 2000,
    maxResponseBytes = 65_536,
    keepResponseBytes = 16_384,
    maxSocketsPerOrigin = 128,
    keepAliveMs = 4000,
    resolve = cacheNames(nameResolver()),
    ca,
  } = options;
  const limits = { exchangeTimeoutMs, bodyTimeoutMs, maxResponseBytes, keepResponseBytes };
  const connector = guardedConnector({
    allowAddress: (ip) => isPublicAddress(ip) || (allowLoopbackHttp && isLoopbackAddress(ip)),
    resolve,
    timeoutMs: connectTimeoutMs,
    ca,
  });
  const connections = openConnections(connector, {
    maxPerOrigin: maxSocketsPerOrigin,
    maxHeaderSize,
    keepAliveMs,
    maxRequestsPerConnection,
  });

  const check = cacheTargets((url) => targetOf(url, { allowLoopbackHttp }));
  const exchanges = new Set<Exchange>();
  let closed = false;

  function attempt({
    url,
    headers,
    body,
    pace,
    method = 'POST',
    signal,
  }: AttemptRequest): Promise<AttemptResult> {
    return new Promise((resolveAttempt) => {
      const settle = (result: AttemptResult): void => {
        exchanges.delete(exchange);
        resolveAttempt(result);
      };
      const sent: Record<string, string> = { ...headers };
      const exchange: Exchange = new Exchange(limits, sent, signal, settle);
      exchanges.add(exchange);
      try {
        if (closed) return exchange.fail(clientClosed());
        if (signal?.aborted) return exchange.fail(new AttemptFailure('aborted', 'aborted before it began'));
        const checked = check(url);
        if (!checked.ok) {
          // `url_private_address` reads "private address".
          const problem = checked.code.replace(/^url_/, '').replaceAll('_', ' ');
          return exchange.fail(new AttemptFailure('blocked', `the URL is not allowed: ${problem}`));
        }
        const unsendable = unsendableHeader(headers);
        if (unsendable) return exchange.fail(new AttemptFailure('http', `cannot send header ${unsendable}`));
        sent['host'] = checked.host;
        if (body) sent['content-length'] = String(body.length);
        const head = { ...checked, method, headers: sent };
        connections.reserve(checked.origin, (release) =>
          exchange.send(
            (connection) => sendBody(connections.send(head, connection), body, pace),
            connections.useOf,
            // After Node has put the connection back.
            () => setImmediate(release),
          ),
        );
      } catch (error) {
        exchange.fail(error);
      }
    });
  }

  async function close(): Promise<void> {
    closed = true;
    for (const exchange of exchanges) exchange.fail(clientClosed());
    connections.close();
  }

  return { attempt, close };
}

/** Sends the body of a request, at once or in pieces, and returns the request. Errors are events of the request. */
function sendBody(
  request: ClientRequest,
  body: AttemptRequest['body'],
  pace: AttemptRequest['pace'],
): ClientRequest {
  if (body && pace) pipeline(Readable.from(piecesOf(body, pace)), request, () => undefined);
  else request.end(body);
  return request;
}

/** The pieces of a body, each at its time. */
async function* piecesOf(
  body: Uint8Array,
  { pieces, intervalMs }: NonNullable<AttemptRequest['pace']>,
): AsyncGenerator<Uint8Array> {
  const size = Math.ceil(body.length / pieces);
  for (let start = 0; start < body.length; start += size) {
    if (start > 0) await wait(intervalMs);
    yield body.subarray(start, start + size);
  }
}

/** Where the request to a URL goes, or the code of the reason why none may be sent. */
type Target =
  (ConnectTarget & { ok: true; origin: string; host: string; path: string }) | { ok: false; code: string };

function targetOf(url: string, options: { allowLoopbackHttp: boolean }): Target {
  const checked = checkUrl(url, options);
  if (!checked.ok) return { ok: false, code: checked.error.code };
  const { origin, host, port, pathname, search } = checked.url;
  const protocol = checked.url.protocol === 'http:' ? 'http:' : 'https:';
  return {
    ok: true,
    protocol,
    origin,
    host,
    hostname: hostOf(checked.url),
    port: port === '' ? defaultPorts[protocol] : Number(port),
    path: pathname + search,
  };
}

const defaultPorts = { 'http:': 80, 'https:': 443 };

/** URLs whose check is remembered: those of the endpoints that are sent to at the same time. */
const maxKnownUrls = 1_000;

/** The check of a URL looks at its text only, so its result never changes. Addresses are checked for each connection. */
function cacheTargets(find: (url: string) => Target): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    let target = known.get(url);
    if (!target) {
      target = find(url);
      if (known.size >= maxKnownUrls) known.clear();
      known.set(url, target);
    }
    return target;
  };
}

/** Headers that frame the message or control the connection: only the client sets them. */
const ownedByClient =
  /^(host|connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const unsafeInValue = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The first header that cannot be sent, or undefined. Node rejects such headers too, but not those that frame the message.
 */
function unsendableHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    if (!token.test(name) || ownedByClient.test(name) || unsafeInValue.test(headers[name] ?? '')) return name;
  }
  return undefined;
}
