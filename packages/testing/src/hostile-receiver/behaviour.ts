/**
 * A phase of an exchange: `head` when only the head of the request is read, `request` when all of it is read, `status` after
 * half a status line is sent, `headers` after half the headers, `body` after half the body.
 */
export type HostilePhase = 'head' | 'request' | 'status' | 'headers' | 'body';

/** The behaviour of a hostile receiver for one request, as plain data. */
export type HostileBehaviour =
  /**
   * A complete response, `afterMs` late, and its body another `bodyAfterMs` later. `hangUp` closes the connection afterwards
   * without a `Connection: close`.
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
  /** Stops at a phase: sends nothing more, closes, or resets. */
  | { does: 'hang' | 'close' | 'reset'; at: HostilePhase }
  /** Sends the headers or the body byte by byte, without end. */
  | { does: 'drip'; part: 'headers' | 'body'; everyMs: number }
  /** Sends as much as the client reads, without end; `informational` are 103 responses. */
  | { does: 'flood'; part: 'headers' | 'body' | 'chunks' | 'informational' }
  /** A small body that unpacks to `mebibytes` of zeros. */
  | { does: 'bomb'; coding: 'gzip' | 'deflate' | 'br'; mebibytes: number }
  /** Sends these bytes, and nothing more. */
  | { does: 'send'; bytes: string | Uint8Array };

/**
 * The behaviour for a connection before anything is read (with TLS: before the handshake). `hang` never reads, `send` sends
 * bytes first, `wait` starts late.
 */
export type HostileGreeting =
  | { does: 'hang' | 'close' | 'reset' }
  | { does: 'send'; bytes: string | Uint8Array }
  | { does: 'wait'; ms: number };
