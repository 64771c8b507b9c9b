import { setTimeout } from 'node:timers/promises';
import { DatabaseError } from 'pg';

/*
 * The one place that classifies errors of the database. They come from the driver (`DatabaseError` with an SQLSTATE, or a
 * connection error), from Prisma (codes P…, with the SQLSTATE inside), or from the operating system.
 */

/** Returns the SQLSTATE of a failed statement, from the driver's error or from the one inside Prisma's. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  const cause = (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } })?.meta
    ?.driverAdapterError?.cause?.originalCode;
  return cause ?? (error as { cause?: { originalCode?: string } })?.cause?.originalCode;
}

/** SQLSTATE: another transaction was first to insert a row with this key. */
export const uniqueViolation = '23505';

/** SQLSTATE: a row violates a check, or the range of a partition. */
export const checkViolation = '23514';

/** SQLSTATE: a lock was not available within `lock_timeout`. */
export const lockNotAvailable = '55P03';

/** SQLSTATE: an earlier statement of the transaction has failed. */
export const failedTransaction = '25P02';

/** SQLSTATE: a write in a transaction that is read-only, by default or because the server is a standby. */
export const readOnly = '25006';

/** A statement was cancelled, such as by its time-out. */
export const statementCancelled = '57014';

/** SQLSTATEs of a deadlock and of a serialization failure: the transaction was rolled back and can run again. */
const conflictStates = new Set(['40P01', '40001']);

/**
 * SQLSTATE classes of errors that the data or the statement causes: cardinality, data, constraint, view check, program
 * limit, raised by a trigger. All others are caused by the state of the server or its schema, and may pass.
 */
const contentClasses = new Set(['21', '22', '23', '44', '54', 'P0']);

/** Whether PostgreSQL permanently rejected a value: data exceptions and integrity constraint violations. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

/**
 * Whether a transaction on the driver may succeed later with the same data: the connection was lost, a timeout, a
 * deadlock, a server that is starting, full or read-only. False for errors that the data or our code causes.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return !contentClasses.has(error.code?.slice(0, 2) ?? '');
  return typeof error === 'object' && error !== null && connectionErrors.has(error);
}

/**
 * Whether an error, of the driver or of Prisma, is an outage of the database: what failed may succeed later with the
 * same data. False for errors that the data or our code causes, and for errors of anything else.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (isTransient(error)) return true;
  const state = sqlState(error);
  return state === undefined
    ? databaseProblemOf(error) !== undefined
    : !contentClasses.has(state.slice(0, 2));
}

/** Errors of the driver that do not come from PostgreSQL: the connection was lost, or could not be made in time. */
const connectionErrors = new WeakSet<object>();

/**
 * Rethrows an error of the driver. Unless PostgreSQL or our own code raised it, it is recorded as a connection error.
 */
export function rethrowDriverError(error: unknown): never {
  const { name } = error as Error;
  const isProgrammingError = name === 'TypeError' || name === 'RangeError';
  if (!(error instanceof DatabaseError) && !isProgrammingError) connectionErrors.add(error as Error);
  throw error;
}

const mostTries = 6;

/** What a transaction has read is no longer true: it is rolled back and can run again. */
export class TransactionConflict extends Error {}

/**
 * Runs a transaction again after a deadlock, a serialization failure, a {@link TransactionConflict} or an error with the SQLSTATE
 * `alsoRetried`.
 */
export async function retryConflicts<T>(run: () => Promise<T>, alsoRetried?: string): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const state = sqlState(error) ?? '';
      const isConflict = error instanceof TransactionConflict || conflictStates.has(state);
      if (tries === mostTries || !(isConflict || state === alsoRetried)) throw error;
      await setTimeout(Math.random() * 20 * tries);
    }
  }
}

/**
 * The database cannot be used: it is unavailable, slow or read-only, not migrated, has other settings, or SECRETS_KEY is a different
 * one.
 */
export class DatabaseProblem extends Error {
  /** `slow`: there was no answer in time. The server, the network or this host may be overloaded, or the server is frozen. */
  readonly kind: 'unavailable' | 'slow' | 'read_only' | 'not_migrated' | 'wrong_key' | 'wrong_settings';

  constructor(kind: DatabaseProblem['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** The message of a database without this version's migrations. */
export const notMigrated =
  'The database is not migrated to this version: run node packages/database/dist/migrate-main.js first.';

/** By SQLSTATE or Prisma's code. */
const connectionRefusals = new Map<string, string>(
  Object.entries({
    '28P01': 'PostgreSQL refuses the user or the password in DATABASE_URL.',
    '28000': 'PostgreSQL refuses the user in DATABASE_URL.',
    P1000: 'PostgreSQL refuses the user or the password in DATABASE_URL.',
    '3D000': 'The database in DATABASE_URL does not exist.',
    P1003: 'The database in DATABASE_URL does not exist.',
  }),
);

/** Codes of TLS: the certificate of the server is not accepted. */
const certificateProblems: [codes: RegExp, message: string][] = [
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The certificate of PostgreSQL is not for the host in DATABASE_URL.'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of PostgreSQL has expired.'],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)$/,
    'The certificate of PostgreSQL is not trusted: name the file of its authority in sslrootcert of DATABASE_URL, or in NODE_EXTRA_CA_CERTS.',
  ],
];

/** Messages that say more than their code, and the message for the operator. */
const tlsMessages: [pattern: RegExp, message: string][] = [
  [/does not support SSL/i, 'PostgreSQL offers no TLS, which sslmode in DATABASE_URL demands.'],
  [/no encryption/i, 'PostgreSQL refuses connections without TLS: add sslmode=verify-full to DATABASE_URL.'],
];

/** SQLSTATEs and Prisma's code of a missing table or schema. */
const missingTableCodes = /^(42P01|3F000|P2021)$/;

/** SQLSTATEs, Prisma's codes and codes of the operating system. */
const unavailableCodes =
  /^(P1001|P1017|ECONN\w+|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EPIPE|57P0\d|08\w{3}|53300)$/;

/** Messages of errors without a code. */
const unavailableMessages = /^connect E|can't reach database|connection (terminated|error)/i;

/** The same for time limits: of the operating system, of the pool, of Prisma's transactions and of a statement. */
const slowCodes = /^(P1002|P1008|P2024|P2028|ETIMEDOUT|57014)$/;
const slowMessages = /connection timeout|query read timeout|timeout exceeded when trying to connect/i;

/** Returns the problem of the database that made a query fail; undefined when the query itself failed. */
export function databaseProblemOf(error: unknown): DatabaseProblem | undefined {
  if (error instanceof DatabaseProblem) return error;
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  const codes = [sqlState(error) ?? code, code];
  const refusal =
    tlsMessages.find(([pattern]) => pattern.test(message))?.[1] ??
    certificateProblems.find(([pattern]) => codes.some((one) => pattern.test(one)))?.[1] ??
    codes.map((one) => connectionRefusals.get(one)).find((text) => text !== undefined);
  if (refusal !== undefined) return new DatabaseProblem('unavailable', refusal, error);
  if (codes.includes(readOnly))
    return new DatabaseProblem('read_only', 'PostgreSQL accepts no writes: it is read-only.', error);
  if (codes.some((one) => missingTableCodes.test(one)))
    return new DatabaseProblem('not_migrated', notMigrated, error);
  if (codes.some((one) => slowCodes.test(one)) || slowMessages.test(message))
    return new DatabaseProblem('slow', 'PostgreSQL is slow: it did not answer in time.', error);
  if (codes.some((one) => unavailableCodes.test(one)) || unavailableMessages.test(message))
    return new DatabaseProblem('unavailable', 'PostgreSQL cannot be reached.', error);
  return undefined;
}
