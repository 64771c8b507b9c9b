import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

type ProxyState = 'open' | 'cut' | 'frozen' | 'mute';

/** A TCP proxy in front of a server, with which a test injects faults of the network between the two. */
export interface TcpProxy {
  /** The URL of the server through the proxy. */
  url: string;
  /**
   * `open` forwards; `cut` closes all connections and refuses new ones; `frozen` accepts data and forwards nothing, and its
   * connections are closed when it ends; `mute` forwards requests, and closes the connection instead of forwarding the response.
   */
  set(state: ProxyState): void;
  /** Forwards what arrives from now on this much later, in both directions and in its order: data, and the end of a connection. */
  delay(ms: number): void;
  /**
   * Forwards the next request that contains these bytes, and closes its connection instead of forwarding the response. Responses
   * to earlier requests of that connection which have not come yet are lost with it. Resolves when the server has handled the
   * request and closed the connection too. A connection that ends before a response has come does not count. Resolves with
   * false when the signal is aborted before there was such a request.
   */
  swallowAnswer(match: Buffer | string, signal?: AbortSignal): Promise<boolean>;
  /** Resolves when a request that contains these bytes was forwarded. */
  passed(match: Buffer | string): Promise<void>;
  close(): Promise<void>;
}

/** A call that waits for a request. */
interface Watch {
  swallows: boolean;
  /** Whether the connection has now sent all of the bytes. */
  seesIn(connection: Socket, chunk: Buffer): boolean;
  /** Resolves the promise of the call with whether the request was seen. */
  resolve(seen: boolean): void;
  /** Whether the caller has stopped waiting. */
  isGivenUp(): boolean;
}

/** Starts a proxy on 127.0.0.1 in front of the server of a URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  let state: ProxyState = 'open';
  let delayMs = 0;
  const watches = new Set<Watch>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const upstream = connect({ host: hostname, port: Number(port) });
    keep(client);
    keep(upstream);
    const [towardsServer, towardsClient] = [inOrder(), inOrder()];
    let swallowing: Watch | undefined;
    let isSwallowed = false;
    const look = (chunk: Buffer) => {
      for (const watch of watches) {
        if ((watch.swallows && swallowing) || !watch.seesIn(client, chunk)) continue;
        watches.delete(watch);
        if (watch.swallows) swallowing = watch;
        else watch.resolve(true);
      }
    };
    client.on('data', (chunk: Buffer) =>
      towardsServer(delayMs, () => {
        if (state !== 'open' && state !== 'mute') return;
        upstream.write(chunk);
        look(chunk);
      }),
    );
    upstream.on('data', (chunk) =>
      towardsClient(delayMs, () => {
        if (swallowing) isSwallowed = true;
        if (swallowing || state === 'mute') client.destroy();
        else if (state === 'open') client.write(chunk);
      }),
    );
    // Not destroyed: with responses that were not read, that would reset the connection, and the server would drop requests.
    client.on('close', () => towardsServer(delayMs, () => upstream.end()));
    upstream.on('close', () => {
      towardsClient(delayMs, () => client.destroySoon());
      if (isSwallowed || swallowing?.isGivenUp()) swallowing?.resolve(isSwallowed);
      else if (swallowing) watches.add(swallowing);
    });
  });
  const watchFor = (match: Buffer | string, swallows: boolean, signal?: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      const isGivenUp = () => signal?.aborted ?? false;
      const watch: Watch = { swallows, seesIn: openSearch(match), resolve, isGivenUp };
      watches.add(watch);
      // What has been forwarded already is swallowed all the same.
      signal?.addEventListener('abort', () => watches.delete(watch) && resolve(false), { once: true });
    });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    set(next) {
      // Data that arrived while the proxy was frozen is lost, so those connections are closed.
      if (next === 'cut' || state === 'frozen') endAll();
      state = next;
    },
    delay: (ms) => void (delayMs = ms),
    swallowAnswer: (match, signal) => watchFor(match, true, signal),
    passed: async (match) => void (await watchFor(match, false)),
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a function that runs what it is given after these milliseconds, and never before what it was given earlier. */
function inOrder(): (ms: number, act: () => void) => void {
  let last = Promise.resolve();
  return (ms, act) => {
    const due = performance.now() + ms;
    last = last.then(async () => {
      const left = due - performance.now();
      if (left > 0) await setTimeout(left, undefined, { ref: false });
      act();
    });
  };
}

/** Returns a function that finds bytes in what each connection sends, also if they are split over chunks. */
function openSearch(match: Buffer | string): (connection: Socket, chunk: Buffer) => boolean {
  const bytes = typeof match === 'string' ? Buffer.from(match) : match;
  const ends = new WeakMap<Socket, Buffer>();
  return (connection, chunk) => {
    const sent = Buffer.concat([ends.get(connection) ?? Buffer.alloc(0), chunk]);
    ends.set(connection, sent.subarray(Math.max(0, sent.length - bytes.length + 1)));
    return sent.includes(bytes);
  };
}
