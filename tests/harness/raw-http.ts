import { connect } from 'node:net';

/** The response to raw bytes, parsed when it is HTTP. */
export interface RawAnswer {
  /** Undefined when the server closed the connection without a response. */
  status: number | undefined;
  headers: string;
  body: string;
}

export interface RawOptions {
  /** Close the sending side after the bytes. */
  end?: boolean;
  /** Close the connection after the bytes, without waiting for a response. */
  cut?: boolean;
  /** The longest time until the response, in milliseconds; default 8 s. */
  withinMs?: number;
}

/** Sends bytes unchanged on a new connection, and resolves with the first final response. @throws when there is none in time */
export function sendRaw(url: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  const { withinMs = 8_000 } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const finish = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(readAnswer(received));
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `no response within ${withinMs} ms; received: ${received.toString('latin1').slice(0, 200)}`,
        ),
      );
    }, withinMs);
    socket.on('connect', () => {
      socket.write(bytes, () => {
        if (options.cut) finish();
        else if (options.end) socket.end();
      });
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isComplete(received)) finish();
    });
    socket.on('end', finish);
    // A server that does not read the rest of a request resets the connection after its response.
    socket.on('error', finish);
  });
}

function isComplete(received: Buffer): boolean {
  const { status, headers, body } = readAnswer(received);
  if (status === undefined) return false;
  const length = /^content-length: *(\d+)/im.exec(headers)?.[1];
  return length !== undefined && Buffer.byteLength(body) >= Number(length);
}

function readAnswer(received: Buffer): RawAnswer {
  const text = received.toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return { status: undefined, headers: '', body: text };
  const headers = text.slice(0, end);
  // An informational response is followed by the final one.
  if (/^HTTP\/1\.1 1\d\d/.test(headers)) return readAnswer(received.subarray(end + 4));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1]), headers, body: text.slice(end + 4) };
}
