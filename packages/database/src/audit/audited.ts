import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '@rewardhook/contract';
import type { Queryable, Transaction } from '../client/client.ts';
import { actionsWithoutTransaction } from './audit-actions.ts';
import { insertAuditEntry } from './audit-entries.ts';
import type { AuditEntry } from './audit-entries.ts';

/** What is known of an entry before the action runs. */
export type AuditedCall = Omit<AuditEntry, 'outcome' | 'details'>;

/** What becomes known while the action runs. */
export type AuditNote = Partial<
  Pick<AuditEntry, 'action' | 'actor' | 'merchantId' | 'subjectId' | 'details'>
>;

interface RunningAction {
  /** Given before the action runs, so that its entry is stored once, however often a transaction is repeated. */
  id: string;
  entry: AuditEntry;
  unchanged: boolean;
}

const running = new AsyncLocalStorage<RunningAction>();

/**
 * Runs an action of a user or an operator, which writes its entry exactly once. An action that changes rows calls
 * {@link audit} in the transaction of the change: both are stored or neither. The entry of one that reads a secret, or
 * changes something outside of PostgreSQL (`actionsWithoutTransaction`), is written when it has ended, before its result is
 * returned: if the entry cannot be stored, the action fails.
 *
 * An action that throws before it has changed rows writes none, unless `refusal` returns the code of the error. It is
 * called for errors only; a nullish code writes none.
 */
export async function audited<T>(
  database: Queryable,
  call: AuditedCall,
  run: () => Promise<T>,
  refusal: (error: unknown, call: AuditedCall) => Promise<string | undefined> = async () => undefined,
): Promise<T> {
  const action: RunningAction = {
    id: newId('aud'),
    entry: { ...call, outcome: 'done', details: {} },
    unchanged: false,
  };
  const { id, entry } = action;
  let result: T;
  try {
    result = await running.run(action, run);
  } catch (error) {
    const code = await refusal(error, entry);
    if (code !== undefined)
      await insertAuditEntry(database, { ...entry, outcome: 'refused', details: { code } }, id);
    throw error;
  }
  if (action.unchanged) return result;
  const wasMissing = await insertAuditEntry(database, entry, id);
  if (wasMissing && !actionsWithoutTransaction.has(call.action))
    throw new Error(`the action ${call.action} did not write its entry in the transaction of its change`);
  return result;
}

/**
 * Writes the entry of the running action, with what is known by now, in the transaction of its change. Does nothing outside
 * of an action, and when the entry is stored already.
 */
export async function audit(tx: Queryable | Transaction, note: AuditNote = {}): Promise<void> {
  noteAudit(note);
  const action = running.getStore();
  if (action && !action.unchanged) await insertAuditEntry(tx, action.entry, action.id);
}

/** Adds what is known by now to the entry of the running action. Does nothing outside of one. */
export function noteAudit({ details, ...rest }: AuditNote): void {
  const entry = running.getStore()?.entry;
  if (!entry) return;
  Object.assign(entry, rest);
  Object.assign(entry.details, details);
}

/** The running action changes nothing and reads no secret: it writes no entry. */
export function noteUnchanged(): void {
  const action = running.getStore();
  if (action) action.unchanged = true;
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
