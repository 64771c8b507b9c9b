import { AsyncLocalStorage } from 'node:async_hooks';
import { transact, withCommitHook } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { insertAuditEntry } from './audit-entries.ts';
import type { AuditEntry } from './audit-entries.ts';

/** What is known of an entry before the action runs. */
export type AuditedCall = Omit<AuditEntry, 'outcome' | 'details'>;

/** What becomes known while the action runs. */
export type AuditNote = Partial<Pick<AuditEntry, 'actor' | 'merchantId' | 'subjectId' | 'details'>>;

interface Scope {
  note(note: AuditNote): void;
  unchanged(): void;
  write(): Promise<void>;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs an action of a user or an operator and writes its entry exactly once:
 *
 * - in the first transaction of the action that changes rows, before its commit: change and entry are stored together or
 *   not at all;
 * - otherwise, when the action has ended, before its result is returned: an action that reads a secret, or changes
 *   something outside PostgreSQL, and whose entry cannot be stored, fails.
 *
 * An action that throws before it has changed rows writes none, unless `refusal` returns the code of the error. It is
 * called for errors only; a nullish code writes none.
 */
export async function audited<T>(
  database: Database,
  call: AuditedCall,
  run: () => Promise<T>,
  refusal: (error: unknown, call: AuditedCall) => Promise<string | undefined> = async () => undefined,
): Promise<T> {
  const entry: AuditEntry = { ...call, outcome: 'done', details: {} };
  let state: 'due' | 'writing' | 'written' = 'due';
  const write = async (insert: () => Promise<unknown>) => {
    if (state !== 'due') return;
    state = 'writing';
    try {
      await insert();
      state = 'written';
    } catch (error) {
      state = 'due';
      throw error;
    }
  };
  const insertAlone = () => transact(database, (tx) => insertAuditEntry(tx, entry));
  const scope: Scope = {
    note({ details, ...rest }) {
      Object.assign(entry, rest);
      Object.assign(entry.details, details);
    },
    unchanged() {
      if (state === 'due') state = 'written';
    },
    write: () => write(insertAlone),
  };
  const hook = {
    async beforeCommit(tx: Queryable, commit: () => Promise<void>) {
      if (state !== 'due') return commit();
      return write(async () => {
        await insertAuditEntry(tx, entry);
        await commit();
      });
    },
  };
  try {
    const result = await scopes.run(scope, () => withCommitHook(hook, run));
    await write(insertAlone);
    return result;
  } catch (error) {
    const code = state === 'due' ? await refusal(error, entry) : undefined;
    if (code !== undefined) {
      entry.outcome = 'refused';
      entry.details = { code };
      await write(insertAlone);
    }
    throw error;
  }
}

/** Adds what is known by now to the entry of the running action. Does nothing outside of one, or once it is written. */
export function noteAudit(note: AuditNote): void {
  scopes.getStore()?.note(note);
}

/** The running action changes nothing and reads no secret: it writes no entry. */
export function noteUnchanged(): void {
  scopes.getStore()?.unchanged();
}

/** Writes the entry of the running action now: for one that sends data before it ends. */
export async function writeAudit(): Promise<void> {
  await scopes.getStore()?.write();
}

/** The fields of two rows that differ, each with its former and its new value: `{ field: [before, after] }`. */
export function changesOf<Row extends object>(before: Row, after: Partial<Row>): Record<string, unknown[]> {
  const text = (value: unknown) => JSON.stringify(value);
  return Object.fromEntries(
    (Object.keys(after) as (keyof Row & string)[])
      .filter((field) => text(before[field]) !== text(after[field]))
      .map((field) => [field, [before[field], after[field]]]),
  );
}
