import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The log of one process: at most two files of limited size. */
export interface LogFile {
  path: string;
  write(chunk: Buffer | string): void;
  /** The last lines written since the log was opened, for an error message. */
  tail(): string;
}

/**
 * Opens a log for appending. When it reaches `maxBytes` (default 5 MB) it is renamed to `<path>.1`, which replaces the
 * earlier one. What is written after the folder was removed is dropped.
 */
export function openLogFile(path: string, maxBytes = 5_000_000): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let recent = '';
  return {
    path,
    write(chunk) {
      // A process that was killed can leave output in its pipe, which arrives after its folder was removed.
      if (!existsSync(dirname(path))) return;
      if (size + chunk.length > maxBytes && size > 0) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, chunk);
      size += chunk.length;
      recent = (recent + chunk.toString()).slice(-4_000);
    },
    tail: () => recent.trimEnd().split('\n').slice(-15).join('\n'),
  };
}
