import { isIP, connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { AttemptFailure, describeError, type ConnectTimings } from './attempt-failure.ts';
import { millisecondsSince } from './attempt-result.ts';
import { isLoopbackHost } from './check-url.ts';
import type { ResolveName } from './resolve-name.ts';

/** Whether an address may be connected to: the complete policy of the guard. */
export type AllowAddress = (ip: string) => boolean;

/** The policy, the resolver, and one limit in ms for name lookup, TCP and TLS together. */
export type GuardedConnectorOptions = {
  allowAddress: AllowAddress;
  resolve: ResolveName;
  timeoutMs: number;
  /** Certificate authorities (PEM) to trust in addition to those of Node. */
  ca?: string[] | undefined;
};

/** Where to connect: a name or an IP literal without brackets, and a port. */
export type ConnectTarget = { protocol: 'http:' | 'https:'; hostname: string; port: number };

/** A checked, open socket and the time that opening it took. */
export type OpenSocket = { socket: Socket; timings: ConnectTimings };

/** `open` rejects with an {@link AttemptFailure} only; `close` ends the connections that are being opened. */
export type GuardedConnector = {
  open: (target: ConnectTarget) => Promise<OpenSocket>;
  close: () => void;
};

/**
 * Creates the SSRF guard. It checks IP literals, resolves names itself, connects to exactly the checked addresses (there is
 * no second lookup, so DNS rebinding has no effect), and checks the connected address again before a byte is sent,
 * including the TLS greeting.
 */
export function guardedConnector(options: GuardedConnectorOptions): GuardedConnector {
  const { allowAddress, resolve, timeoutMs, ca } = options;
  // Created once: a context per connection costs more than the handshake.
  const secureContext = createSecureContext(ca && { ca: [...rootCertificates, ...ca] });
  const sessions = new LRUCache<string, Buffer>({ max: maxTlsSessions });
  const opening = new Set<(failure: AttemptFailure) => void>();
  let closed = false;

  async function open(target: ConnectTarget): Promise<OpenSocket> {
    if (closed) throw clientClosed();
    const timings: ConnectTimings = {};
    let step: 'dns' | 'connect' | 'tls' = 'dns';
    let tcp: Socket | undefined;
    let cancel: (failure: AttemptFailure) => void = () => undefined;
    const cancelled = new Promise<never>((_resolve, reject) => (cancel = reject));
    const timer = setTimeout(() => {
      const what = { dns: 'no answer to the name lookup', connect: 'not connected', tls: 'no TLS handshake' };
      const message = `${what[step]} within ${timeoutMs} ms`;
      cancel(new AttemptFailure(step === 'dns' ? 'dns' : 'timeout', message, timings));
    }, timeoutMs);
    opening.add(cancel);
    try {
      let started = performance.now();
      const host = target.hostname.replace(/\.$/, '');
      const addresses = await Promise.race([allowedAddresses(host, allowAddress, resolve), cancelled]);
      if (isIP(host) === 0) timings.dnsMs = millisecondsSince(started);

      step = 'connect';
      started = performance.now();
      tcp = connectTcp({ ...dialOptions(addresses), port: target.port });
      await Promise.race([connected(tcp), cancelled]);
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
      const socket = await Promise.race([secured(tcp, host, target.port), cancelled]);
      timings.tlsMs = millisecondsSince(started);
      return { socket, timings };
    } catch (error) {
      tcp?.destroy();
      if (error instanceof AttemptFailure) throw error;
      const { code } = error as NodeJS.ErrnoException;
      // Here the server is running: it accepts the connection and resets it at once.
      const errorClass = step === 'connect' && code === 'ECONNRESET' ? 'reset' : step;
      throw new AttemptFailure(errorClass, describeError(error), timings);
    } finally {
      clearTimeout(timer);
      opening.delete(cancel);
    }
  }

  function secured(tcp: Socket, host: string, port: number): Promise<Socket> {
    const key = `${host}:${port}`;
    const socket = connectTls({
      socket: tcp,
      host,
      // An IP address is no server name (RFC 6066).
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
      session: sessions.get(key),
      rejectUnauthorized: true, // even if NODE_TLS_REJECT_UNAUTHORIZED is 0
    });
    socket.on('session', (session) => sessions.set(key, session));
    return new Promise((done, reject) => {
      // The listener for errors stays: an idle socket may fail too.
      socket.on('error', reject).once('secureConnect', () => done(socket));
    });
  }

  return {
    open,
    close: () => {
      closed = true;
      for (const cancel of opening) cancel(clientClosed());
    },
  };
}

/** The failure of all attempts that are in progress when the client is closed, or begin after that. */
export function clientClosed(): AttemptFailure {
  return new AttemptFailure('aborted', 'the webhook client was closed');
}

/** TLS sessions that are kept, so that a new connection resumes one. */
const maxTlsSessions = 1000;

/** Addresses of one name that are tried. A name server that returns more is misconfigured. */
const maxAddresses = 8;

/**
 * Returns the addresses of a host that may be connected to: 1 to 8. Rejects with an {@link AttemptFailure} `blocked` when
 * there is none, and with the error of `resolve`.
 */
async function allowedAddresses(host: string, allow: AllowAddress, resolve: ResolveName): Promise<string[]> {
  // Node never calls a lookup hook for an IP literal, so it is checked here.
  if (isIP(host) !== 0) {
    if (!allow(host)) throw new AttemptFailure('blocked', 'the address is not public');
    return [host];
  }
  // Loopback names are resolved here (RFC 6761), since a name server could return any address for them.
  const found = isLoopbackHost(host) ? ['127.0.0.1', '::1'] : await resolve(host);
  const allowed = found.filter(allow);
  if (allowed.length === 0) throw new AttemptFailure('blocked', 'the host has no public address');
  return allowed.slice(0, maxAddresses);
}

function connected(socket: Socket): Promise<void> {
  socket.setNoDelay(true).setKeepAlive(true, 60_000);
  return new Promise((resolve, reject) => {
    // The listener stays: under TLS the plain socket may still fail, and has no other listener.
    socket.on('error', reject).once('connect', resolve);
  });
}

/** With several addresses Node races them ("happy eyeballs"); its lookup hook returns the checked list. */
function dialOptions(addresses: readonly string[]): Omit<TcpNetConnectOpts, 'port'> {
  const [only, ...others] = addresses;
  if (only !== undefined && others.length === 0) return { host: only };
  const list = addresses.map((address) => ({ address, family: isIP(address) }));
  return {
    host: 'checked.invalid',
    autoSelectFamily: true,
    lookup: (_name, _options, callback) => callback(null, list),
  };
}
