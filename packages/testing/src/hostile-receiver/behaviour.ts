/**
 * How far an exchange gets: `head` the request's head is read and nothing after it, `request` all of it is
 * read, `status` half a status line is answered, `headers` half the headers, `body` half the body.
 */
export type HostilePhase = 'head' | 'request' | 'status' | 'headers' | 'body';

/** What a hostile receiver does with one request; plain data, so that it can be scripted from anywhere. */
export type HostileBehaviour =
  /**
   * A whole answer, `afterMs` late, its body `bodyAfterMs` later still; `hangUp` closes the connection behind it
   * without having said so.
   */
  | {
      does: 'answer';
      status?: number;
      headers?: Readonly<Record<string, string>>;
      body?: string | Uint8Array;
      afterMs?: number;
      bodyAfterMs?: number;
      hangUp?: boolean;
    }
  /** Goes so far and then stays silent, closes, or resets. */
  | { does: 'hang' | 'close' | 'reset'; at: HostilePhase }
  /** A byte of the headers or the body at a time, without end. */
  | { does: 'drip'; part: 'headers' | 'body'; everyMs: number }
  /** As much as the other side takes, without end; `informational` are 103 answers. */
  | { does: 'pour'; part: 'headers' | 'body' | 'chunks' | 'informational' }
  /** A small body that unpacks to `mebibytes` of zeros. */
  | { does: 'bomb'; coding: 'gzip' | 'deflate' | 'br'; mebibytes: number }
  /** These bytes, whatever they are; then silence. */
  | { does: 'say'; bytes: string | Uint8Array };

/**
 * What it does with a connection before it reads anything (under TLS: before the handshake). `hang` never
 * reads, `say` speaks first and unasked, `wait` starts late.
 */
export type HostileGreeting =
  | { does: 'hang' | 'close' | 'reset' }
  | { does: 'say'; bytes: string | Uint8Array }
  | { does: 'wait'; ms: number };
