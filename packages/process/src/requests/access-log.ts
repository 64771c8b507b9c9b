/** The fields of an access line. */
export interface AccessLine {
  method: string | undefined;
  /** The pattern of the path, without the values in it; `unmatched` when there is no such route. */
  route: string;
  /** Null when the client closed the connection before the response began. */
  status: number | null;
  /** True when the client closed the connection before the response was complete. */
  aborted?: true;
  durationMs: number;
  /** Bytes of the response. */
  bytes: number;
  merchantId?: string | undefined;
  requestId: string;
  /** What the response warns of, by path: unknown fields, or a call that changed nothing. */
  warnings?: readonly string[];
  /** Address of the client; of a merchant's customer only its network. */
  client: string;
}

/** Writes one line per request. */
export interface AccessLog {
  write(line: AccessLine): void;
  /** Writes what is left. */
  close(): void;
}

/** Writes nothing. */
export const noAccessLog: AccessLog = { write() {}, close() {} };

const maxBuffered = 65_536;

/**
 * Opens the access log of a process: JSON lines on stdout, like those of the logger, with the message `request`. The
 * lines of one iteration of the event loop are written together. That takes a quarter of the time of the logger
 *.
 */
export function openAccessLog(
  service: string,
  write = (text: string) => void process.stdout.write(text),
): AccessLog {
  let buffered = '';
  const flush = () => {
    const text = buffered;
    buffered = '';
    if (text !== '') write(text);
  };
  return {
    write(line) {
      if (buffered === '') setImmediate(flush);
      const common = { timestamp: new Date().toISOString(), level: 'info', service, message: 'request' };
      buffered += `${JSON.stringify({ ...line, ...common })}\n`;
      if (buffered.length > maxBuffered) flush();
    },
    close: flush,
  };
}
