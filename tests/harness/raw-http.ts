import { connect } from 'node:net';

/** What came back for raw bytes: parsed when it was an HTTP answer, else only whether the connection was closed. */
export interface RawAnswer {
  /** Undefined when the server closed the connection without an answer. */
  status: number | undefined;
  headers: string;
  body: string;
}

export interface RawOptions {
  /** Close our side after the bytes are sent. */
  end?: boolean;
  /** Cut the connection after the bytes are sent, without waiting for anything. */
  cut?: boolean;
}

/** Sends bytes as they are over a connection of their own, and resolves with the first answer. @throws after 8 s */
export function sendRaw(url: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
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
      reject(new Error(`no answer within 8 s; so far: ${received.toString('latin1').slice(0, 200)}`));
    }, 8_000);
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
    // A reset after an answer is how a server that does not want the rest ends the connection.
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
  // An interim answer is followed by the real one.
  if (/^HTTP\/1\.1 1\d\d/.test(headers)) return readAnswer(received.subarray(end + 4));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1]), headers, body: text.slice(end + 4) };
}
