import { closeSync, fdatasync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './entries.ts';
import { now } from './clock.ts';

/** The files of a run: what the harness did, and what its receivers got. */
export const ledgerFiles = ['ledger.jsonl', 'receivers.jsonl'] as const;

/** Entries without `at`, which the ledger adds. */
type Unwritten = Entry extends infer E ? (E extends Entry ? Omit<E, 'at'> & { at?: number } : never) : never;

/** Two files of JSON lines that survive the end of the harness, and of the machine up to the last second. */
export interface Ledger {
  folder: string;
  /** Writes an entry before it returns. */
  write(entry: Unwritten): void;
  /** Sees every entry that is written from now on. */
  onEntry(listener: (entry: Entry) => void): void;
  /** Brings what was written to the disk: before a server of this machine is killed. */
  sync(): void;
  close(): void;
}

/** Opens new files in a folder. They contain secrets of the shops of the run: only this user can read them. */
export function openLedger(folder: string): Ledger {
  mkdirSync(folder, { recursive: true });
  const [ledger, receivers] = ledgerFiles.map((name) => openSync(join(folder, name), 'w', 0o600)) as [
    number,
    number,
  ];
  const listeners: ((entry: Entry) => void)[] = [];
  const sync = () => {
    fdatasyncSync(ledger);
    fdatasyncSync(receivers);
  };
  let isClosed = false;
  const fail = (error: Error | null) => {
    if (error && !isClosed) throw error;
  };
  // Without waiting for it: receivers and proxies are in this process.
  const everySecond = setInterval(() => {
    fdatasync(ledger, fail);
    fdatasync(receivers, fail);
  }, 1_000).unref();
  return {
    folder,
    write(unwritten) {
      const entry = { ...unwritten, at: unwritten.at ?? now() } as Entry;
      writeSync(entry.kind === 'received' ? receivers : ledger, `${JSON.stringify(entry)}\n`);
      for (const listener of listeners) listener(entry);
    },
    onEntry: (listener) => void listeners.push(listener),
    sync,
    close() {
      clearInterval(everySecond);
      sync();
      isClosed = true;
      closeSync(ledger);
      closeSync(receivers);
    },
  };
}
