import { Agent, Pool, type Client } from 'undici';
import { AttemptFailure } from './attempt-failure.ts';
import type { AttemptResult } from './attempt-result.ts';
import { cacheResolved } from './cache-resolved.ts';
import { checkUrl } from './check-url.ts';
import { Exchange } from './exchange.ts';
import { clientClosed, guardedConnector } from './guarded-connector.ts';
import { isLoopbackAddress, isPublicAddress } from './is-public-address.ts';
import { unsendableHeader } from './request-headers.ts';
import { nameResolver, type ResolveName } from './name-resolver.ts';
import { TrackedClient, type TrackedDispatchOptions } from './tracked-client.ts';

/** Settings of a webhook client; times in ms. All but the first have a default. */
export type WebhookClientOptions = {
  /** Development only: see {@link checkUrl}. */
  allowLoopbackHttp: boolean;
  /** Name lookup, TCP and TLS together. Default 5,000. */
  connectTimeoutMs?: number;
  /** From the call of `attempt` to the last byte of the answer. Default 15,000. */
  exchangeTimeoutMs?: number;
  /** Bytes of the answer's body that are read, as they come off the wire. Default 65,536. */
  maxResponseBytes?: number;
  /** Bytes of the body that are kept, after decompression. Default 16,384. */
  keepResponseBytes?: number;
  /** Open connections to one origin; further attempts wait, and their time runs. Default 128. */
  maxSocketsPerOrigin?: number;
  /** An idle connection is closed after this time, or earlier when the server says so. Default 4,000. */
  keepAliveMs?: number;
  /** Replaces the name lookup with its 30 s cache. */
  resolve?: ResolveName;
  /** Certificate authorities (PEM) to trust beside the usual ones. */
  ca?: string[];
};

/** One request: usually a POST of the exact body bytes, with headers as made by `deliveryHeaders`. */
export type AttemptRequest = {
  url: string;
  headers: Record<string, string>;
  /** Left out for a GET. */
  body?: Uint8Array;
  /** Default POST. */
  method?: 'POST' | 'GET';
  signal?: AbortSignal | undefined;
};

/** Sends webhooks. `attempt` never rejects; `close` ends what is under way as `aborted`. */
export type WebhookClient = {
  attempt: (request: AttemptRequest) => Promise<AttemptResult>;
  close: () => Promise<void>;
};

/** Names and values of the answer's head, in bytes. */
const maxHeaderSize = 16_384;

/** A busy connection is replaced after this many requests, so that a moved name is noticed some day. */
const maxRequestsPerConnection = 1000;

/**
 * Opens the client that all attempts of a process share, so that connections are reused. Every connection
 * is made by the guard (see {@link guardedConnector}); one that is reused was checked when it was made.
 * HTTP/1.1, redirects are answers, proxies of the environment are not used.
 */
export function openWebhookClient(options: WebhookClientOptions): WebhookClient {
  const {
    allowLoopbackHttp,
    connectTimeoutMs = 5000,
    exchangeTimeoutMs = 15_000,
    maxResponseBytes = 65_536,
    keepResponseBytes = 16_384,
    maxSocketsPerOrigin = 128,
    keepAliveMs = 4000,
    resolve = cacheResolved(nameResolver()),
    ca,
  } = options;
  const limits = { exchangeTimeoutMs, maxResponseBytes, keepResponseBytes };
  const connector = guardedConnector({
    allowAddress: (ip) => isPublicAddress(ip) || (allowLoopbackHttp && isLoopbackAddress(ip)),
    resolve,
    timeoutMs: connectTimeoutMs,
    ca,
  });
  const clientOptions: Client.Options = {
    pipelining: 1,
    maxHeaderSize,
    maxRequestsPerClient: maxRequestsPerConnection,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: Math.max(keepAliveMs, 30_000),
    // The exchange has one deadline of its own; undici's timers would only be in its way.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agent = new Agent({
    factory: (origin) =>
      new Pool(origin, {
        connections: maxSocketsPerOrigin,
        factory: (poolOrigin) => new TrackedClient(poolOrigin, clientOptions, connector),
      }),
  });

  const underWay = new Set<Exchange>();
  let closed = false;

  function attempt({ url, headers, body, method = 'POST', signal }: AttemptRequest): Promise<AttemptResult> {
    return new Promise((tell) => {
      const settle = (outcome: AttemptResult): void => {
        underWay.delete(exchange);
        tell(outcome);
      };
      const exchange: Exchange = new Exchange(limits, signal, settle);
      underWay.add(exchange);
      try {
        if (closed) return exchange.fail(clientClosed());
        if (signal?.aborted) return exchange.fail(new AttemptFailure('aborted', 'aborted before it began'));
        const checked = checkUrl(url, { allowLoopbackHttp });
        if (!checked.ok)
          return exchange.fail(
            new AttemptFailure('blocked', `the URL is not allowed (${checked.error.code})`),
          );
        const unsendable = unsendableHeader(headers);
        if (unsendable) return exchange.fail(new AttemptFailure('http', `cannot send header ${unsendable}`));
        const { origin, pathname, search } = checked.url;
        const request: TrackedDispatchOptions = {
          origin,
          path: pathname + search,
          method,
          headers,
          body: body ?? null,
          onConnectionChosen: exchange.onConnectionChosen,
        };
        agent.dispatch(request, exchange);
      } catch (error) {
        exchange.fail(error);
      }
    });
  }

  async function close(): Promise<void> {
    closed = true;
    for (const exchange of underWay) exchange.fail(clientClosed());
    connector.close();
    await agent.destroy();
  }

  return { attempt, close };
}
