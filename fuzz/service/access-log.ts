import { existsSync, readFileSync } from 'node:fs';
import type { Stack } from '@rewardhook/local-stack';
import { waitFor } from '@rewardhook/testing';

/** What a server says about a request when it has answered it. */
export interface AccessLine {
  requestId: string;
  method: string;
  /** The pattern of the path; `unmatched` when the server has no such route. */
  route: string;
  /** Only of a request that was authenticated. */
  merchantId?: string;
}

/** The access lines of some servers. */
export interface AccessLog {
  /**
   * Reads the lines since the last call, by the id of their request.
   * @throws when one of these requests has no line within 30 s
   */
  read(requestIds: string[]): Promise<Map<string, AccessLine>>;
}

/** Opens the access log of these servers. They must log with the level `info`. */
export function openAccessLog(stack: Stack, servers: string[]): AccessLog {
  const logs = servers.map((name) => openLines(stack.logPath(name)));
  return {
    async read(requestIds) {
      const found = new Map<string, AccessLine>();
      const look = () => {
        for (const line of logs.flatMap((newLines) => newLines()).flatMap(accessLinesIn))
          found.set(line.requestId, line);
        return requestIds.every((id) => found.has(id));
      };
      await waitFor(look, { deadlineMs: 30_000, what: 'the access lines of the requests' });
      return found;
    },
  };
}

function accessLinesIn(line: string): AccessLine[] {
  // Node writes its warnings as text.
  if (!line.startsWith('{')) return [];
  const entry = JSON.parse(line) as AccessLine & { message: string };
  return entry.message === 'request' ? [entry] : [];
}

/** Makes a function that returns the lines that were written since the last call. A large log goes on in a new file: see `Stack.logPath`. */
function openLines(path: string): () => string[] {
  let bytesRead = 0;
  let unfinished = Buffer.alloc(0);
  return () => {
    const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const isNew = log.length < bytesRead;
    const before = isNew ? readFileSync(`${path}.1`).subarray(bytesRead) : Buffer.alloc(0);
    const text = Buffer.concat([unfinished, before, log.subarray(isNew ? 0 : bytesRead)]);
    bytesRead = log.length;
    const end = text.lastIndexOf('\n') + 1;
    unfinished = text.subarray(end);
    return text.subarray(0, end).toString().split('\n').slice(0, -1);
  };
}
