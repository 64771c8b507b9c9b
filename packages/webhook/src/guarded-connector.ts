import { isIP, connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { AttemptFailure, type ConnectTimings } from './attempt-failure.ts';
import { millisecondsSince } from './attempt-result.ts';
import { describeError } from './describe-error.ts';
import type { ResolveName } from './name-resolver.ts';
import { vetAddresses, type AllowAddress } from './vet-addresses.ts';

/** The policy, the resolver, and one limit in ms for name lookup, TCP and TLS together. */
export type GuardedConnectorOptions = {
  allowAddress: AllowAddress;
  resolve: ResolveName;
  timeoutMs: number;
  /** Certificate authorities (PEM) that are trusted beside the ones Node brings. */
  ca?: string[] | undefined;
};

/** A checked, open socket and what opening it took. */
export type OpenSocket = { socket: Socket; timings: ConnectTimings };

/** `open` rejects with an {@link AttemptFailure} only; `close` ends all connections, also those being opened. */
export type GuardedConnector = {
  open: (target: buildConnector.Options) => Promise<OpenSocket>;
  close: () => void;
};

/**
 * The SSRF guard. It vets IP literals, resolves names itself, connects to exactly the vetted addresses (no
 * second lookup, so nothing to rebind), and judges the connected address once more before a byte is sent,
 * the TLS greeting included.
 */
export function guardedConnector(options: GuardedConnectorOptions): GuardedConnector {
  const { allowAddress, resolve, timeoutMs, ca } = options;
  const startTls = buildConnector({
    allowH2: false,
    maxCachedSessions: 1000,
    rejectUnauthorized: true, // also when NODE_TLS_REJECT_UNAUTHORIZED says otherwise
    timeout: 0, // ours covers the handshake
    // Made once: a context of its own for each connection costs more than the handshake.
    secureContext: createSecureContext(ca && { ca: [...rootCertificates, ...ca] }),
  });
  const opening = new Set<(failure: AttemptFailure) => void>();
  // undici's pool forgets a client that failed to connect but lets it work off the queue: it cannot close them
  // all itself.
  const sockets = new Set<Socket>();
  let closed = false;

  async function open(target: buildConnector.Options): Promise<OpenSocket> {
    if (closed) throw clientClosed();
    const timings: ConnectTimings = {};
    let step: 'dns' | 'connect' | 'tls' = 'dns';
    let tcp: Socket | undefined;
    let giveUp: (failure: AttemptFailure) => void = () => undefined;
    const givenUp = new Promise<never>((_resolve, reject) => (giveUp = reject));
    const timer = setTimeout(() => {
      const what = { dns: 'no answer to the name lookup', connect: 'not connected', tls: 'no TLS handshake' };
      const message = `${what[step]} within ${timeoutMs} ms`;
      giveUp(new AttemptFailure(step === 'dns' ? 'dns' : 'timeout', message, timings));
    }, timeoutMs);
    opening.add(giveUp);
    try {
      let started = performance.now();
      const host = target.hostname.replace(/\.$/, '');
      const addresses = await Promise.race([vetAddresses(host, allowAddress, resolve), givenUp]);
      if (isIP(host) === 0) timings.dnsMs = millisecondsSince(started);

      step = 'connect';
      started = performance.now();
      tcp = connectTcp({ ...dialOptions(addresses), port: Number(target.port) || defaultPort(target) });
      keep(tcp);
      await Promise.race([connected(tcp), givenUp]);
      timings.connectMs = millisecondsSince(started);
      if (tcp.remoteAddress === undefined) {
        throw new AttemptFailure('reset', 'the connection broke as soon as it was made', timings);
      }
      if (!allowAddress(tcp.remoteAddress)) {
        throw new AttemptFailure('blocked', 'the connected address is not public', timings);
      }
      if (target.protocol !== 'https:') return { socket: tcp, timings };

      step = 'tls';
      started = performance.now();
      const socket = await Promise.race([secured(tcp, target), givenUp]);
      timings.tlsMs = millisecondsSince(started);
      return { socket, timings };
    } catch (error) {
      tcp?.destroy();
      if (error instanceof AttemptFailure) throw error;
      const { code } = error as NodeJS.ErrnoException;
      // Accepted and dropped in one go: somebody is there, unlike in the other failures to connect.
      const errorClass = step === 'connect' && code === 'ECONNRESET' ? 'reset' : step;
      throw new AttemptFailure(errorClass, describeError(error), timings);
    } finally {
      clearTimeout(timer);
      opening.delete(giveUp);
    }
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  function secured(httpSocket: Socket, target: buildConnector.Options): Promise<Socket> {
    return new Promise((done, reject) => {
      startTls({ ...target, httpSocket }, (error, socket) => (error ? reject(error) : done(socket)));
    });
  }

  return {
    open,
    close: () => {
      closed = true;
      for (const giveUp of opening) giveUp(clientClosed());
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The failure of whatever is under way when the client is closed, or begins after that. */
export function clientClosed(): AttemptFailure {
  return new AttemptFailure('aborted', 'the webhook client was closed');
}

function connected(socket: Socket): Promise<void> {
  socket.setNoDelay(true).setKeepAlive(true, 60_000);
  return new Promise((resolve, reject) => {
    // The listener stays: under TLS the plain socket may still fail, and nobody else listens to it.
    socket.on('error', reject).once('connect', resolve);
  });
}

function defaultPort({ protocol }: buildConnector.Options): number {
  return protocol === 'https:' ? 443 : 80;
}

/** Several addresses are raced by Node ("happy eyeballs"), whose lookup hook is given the vetted list. */
function dialOptions(addresses: readonly string[]): Omit<TcpNetConnectOpts, 'port'> {
  const [only, ...others] = addresses;
  if (only !== undefined && others.length === 0) return { host: only };
  const list = addresses.map((address) => ({ address, family: isIP(address) }));
  return {
    host: 'vetted.invalid',
    autoSelectFamily: true,
    lookup: (_name, _options, callback) => callback(null, list),
  };
}
