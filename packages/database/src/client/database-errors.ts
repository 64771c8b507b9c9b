import { DatabaseError } from 'pg';
import { setTimeout } from 'node:timers/promises';
import { isConnectionLost } from './client.ts';

/** Deadlock and serialization failure: the transaction did nothing and may simply run again. */
const retryable = new Set(['40P01', '40001']);
const mostTries = 6;

/** The SQLSTATE of a failed query: the driver's own, or inside Prisma's error. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  const cause = (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } })?.meta
    ?.driverAdapterError?.cause?.originalCode;
  return cause ?? (error as { cause?: { originalCode?: string } })?.cause?.originalCode;
}

/** SQLSTATE of a row whose key another transaction was first to insert. */
export const uniqueViolation = '23505';

/** Whether PostgreSQL can never keep what it was given (classes 22 and 23), however often it is asked. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

/**
 * SQLSTATE classes of errors that are due to what a statement was given: cardinality, data, constraint, view check,
 * program limit, raised by a trigger. All others are due to the state of the server or to its schema and may pass.
 */
const contentClasses = new Set(['21', '22', '23', '44', '54', 'P0']);

/**
 * Whether a transaction on the driver may succeed another time with the same data: the connection was lost, a time-out,
 * a deadlock, a server that is starting, full or read-only. False for an error that is due to the data or to our code.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return !contentClasses.has(error.code?.slice(0, 2) ?? '');
  return isConnectionLost(error);
}

/** Runs a transaction again when it met another one in a deadlock, or failed with `alsoRetried`. */
export async function retryConflicts<T>(run: () => Promise<T>, alsoRetried?: string): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const state = sqlState(error) ?? '';
      if (tries === mostTries || !(retryable.has(state) || state === alsoRetried)) throw error;
      await setTimeout(Math.random() * 20 * tries);
    }
  }
}
