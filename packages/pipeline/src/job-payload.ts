import { UnrecoverableError } from 'bullmq';
import type { Order } from '@rewardhook/contract';
import type { RequestTrace } from '@rewardhook/process';
import Joi from 'joi';
import { DamagedOrders, decompressOrders } from './compressed-orders.ts';
import type { StoredOrders } from './compressed-orders.ts';
import type { HintStage, Jobs } from './stages.ts';

/*
 * What producers write into a job, and what a worker accepts when it takes one. During a rolling update the two can be
 * of different releases. Rules for changes:
 *
 * - A new field is optional. Older workers ignore it, newer ones accept jobs without it. The version stays.
 * - A change that older workers must not handle gets the next version. Older workers leave jobs with orders to those of the
 *   newer release, so the workers are updated before the API.
 */

/** The version of the payloads of hints. */
const hintVersion = 1;

/**
 * The versions of the payloads with orders. Version 1 was an object with all orders of a request. Version 2 is a text with
 * the number of orders in its head and the orders last, so that a worker reads the head only. Version 3 is the same with
 * compressed orders, and the bytes of their JSON in its head.
 */
const plainVersion = 2;
const compressedVersion = 3;

/** What is stored in a job that is a hint: the fields of its stage and the version of their shape. */
export type HintPayload<S extends HintStage> = Jobs[S] & { v: number };

/** Adds the version to the fields of a hint, for its producer. */
export function toPayload<S extends HintStage>(job: Jobs[S]): HintPayload<S> {
  return { v: hintVersion, ...job };
}

/**
 * A payload with orders, of any version, as JSON.parse returns it. `count` is missing in version 1. `orders` is a text, and
 * `bytes` the size of their JSON, where they are compressed.
 */
export interface OrdersPayload extends RequestTrace {
  v?: number;
  merchantId: string;
  version: number;
  count?: number;
  bytes?: number;
  orders: Order[] | string;
}

/** The start of every payload with orders that are not compressed, and of those that are. */
const plainStart = `{"v":${plainVersion},`;
const compressedStart = `{"v":${compressedVersion},`;

/** What stands between the head of a payload and its orders, and the bytes after them. */
const beforeOrders = ',"orders":';
const end = Buffer.from('}');
const quote = Buffer.from('"');

/** More than the longest head has: two texts of 100 characters and one of 200, escaped. */
const maxHeadBytes = 4_096;

/**
 * Writes the payload of a job with orders, in UTF-8: its head, then the orders as they are stored, whose pieces are copied as
 * they are.
 */
export function writeOrdersPayload(head: Omit<Jobs['sync'], 'json'>, stored: StoredOrders): Buffer {
  const { bytes, pieces, compressed } = stored;
  const fields = JSON.stringify(compressed ? { ...head, bytes } : head).slice(1, -1);
  const start = Buffer.from(`${compressed ? compressedStart : plainStart}${fields}${beforeOrders}`);
  return Buffer.concat(compressed ? [start, quote, ...pieces, quote, end] : [start, ...pieces, end]);
}

/** A worker took a job whose payload it cannot read. The job is not retried: it stays among the failed jobs. */
export class UnreadableJob extends UnrecoverableError {}

/**
 * A worker took a job with the only copy of accepted orders that a newer release wrote. It is retried until a worker of
 * that release takes it: no operator has to do so after a rolling update.
 */
export class NewerJob extends Error {}

const id = Joi.string().max(200).required();

const count = Joi.number().integer().min(0).required();
const head = {
  merchantId: id,
  version: Joi.number().integer().min(1).required(),
  requestId: Joi.string().max(100),
  traceparent: Joi.string().max(100),
};

/** The schema of a payload with orders, by its version. The orders were validated when they were accepted. */
const ordersSchemas = {
  1: schemaOf({ ...head, orders: Joi.array().required() }),
  2: schemaOf({ ...head, count, orders: Joi.array().required() }),
};
const headSchema = schemaOf({ ...head, count });
const compressedHeadSchema = schemaOf({ ...head, count, bytes: Joi.number().integer().min(1).required() });

const hintSchemas: Record<HintStage, Joi.ObjectSchema> = {
  'reward-evaluation': schemaOf({
    merchantId: id,
    batchId: id,
    orders: count,
  }),
  'webhook-delivery': schemaOf({ merchantId: id, endpointId: id }),
};

function schemaOf(fields: Joi.SchemaMap): Joi.ObjectSchema {
  return Joi.object(fields).required().unknown().prefs({ convert: false });
}

/**
 * Reads the payload of a hint. One without `v` is of version 1, which releases before the field wrote. Unknown fields are
 * kept. A hint of a newer release is not retried: while it waited, it would keep the sweeper from adding one that this
 * release can read.
 * @throws UnreadableJob when the version is unknown or a field is missing or of a wrong type; names no values
 */
export function readHintPayload<S extends HintStage>(stage: S, payload: unknown): Jobs[S] {
  const version = versionOf(payload);
  if (version !== hintVersion) throw unknownVersion(hintVersion);
  validate(hintSchemas[stage], payload);
  return payload as Jobs[S];
}

/**
 * Reads the text of a job with orders, of any version. Of versions 2 and 3 only the head is parsed. Compressed orders are
 * decompressed, into memory of their own.
 * @throws NewerJob when the job is of a newer release
 * @throws UnreadableJob when the version is unknown or a field is missing or of a wrong type; names no values
 */
export function readOrdersPayload(text: Buffer): Jobs['sync'] {
  const compressed = readCompressedHead(text);
  if (compressed) {
    const { fields, headEnd } = compressed;
    validate(compressedHeadSchema, fields);
    const orders = text.subarray(headEnd + beforeOrders.length + quote.length, -(quote.length + end.length));
    return jobOf(fields, decompress(orders, fields.bytes));
  }
  const headEnd = startsWith(text, plainStart) ? text.indexOf(beforeOrders) : -1;
  if (headEnd < 0) return readParsedOrders(text.toString());
  const fields = parseHead(text, headEnd) as Jobs['sync'];
  validate(headSchema, fields);
  return jobOf(fields, text.subarray(headEnd + beforeOrders.length, -end.length));
}

/** Bytes of memory that a job with this text takes: those of the text, and those of its orders when they are decompressed. */
export function memoryOfOrders(text: Buffer): number {
  let bytes: unknown;
  try {
    bytes = readCompressedHead(text)?.fields.bytes;
  } catch {
    // It is reported when the job is read.
  }
  return text.length + (Number.isSafeInteger(bytes) ? Math.max(0, bytes as number) : 0);
}

/**
 * The orders of a payload, of any version.
 * @throws NewerJob when the job is of a newer release
 * @throws UnreadableJob when the orders are missing or damaged
 */
export function ordersOfPayload(payload: Partial<OrdersPayload>): Order[] {
  if (Number(versionOf(payload)) > compressedVersion) throw newerVersion();
  const { orders: stored, bytes } = payload;
  const orders =
    typeof stored === 'string' ? parse(decompress(Buffer.from(stored), Number(bytes)).toString()) : stored;
  if (!Array.isArray(orders) || !orders.every((order) => typeof order === 'object' && order !== null))
    throw new UnreadableJob('the payload cannot be read: it has no orders');
  return orders as Order[];
}

/** The payload with these orders instead of its own, not compressed. */
export function replaceOrders(payload: OrdersPayload, orders: Order[]): OrdersPayload {
  const v = Math.min(payload.v ?? 1, plainVersion);
  return { ...payload, v, count: orders.length, bytes: undefined, orders };
}

function readCompressedHead(
  text: Buffer,
): { fields: Omit<Jobs['sync'], 'json'> & { bytes: number }; headEnd: number } | undefined {
  if (!startsWith(text, compressedStart)) return undefined;
  const headEnd = text.subarray(0, maxHeadBytes).indexOf(`${beforeOrders}"`);
  if (headEnd < 0) throw new UnreadableJob('the payload cannot be read: it has no orders');
  return { fields: parseHead(text, headEnd) as Jobs['sync'] & { bytes: number }, headEnd };
}

const startsWith = (text: Buffer, start: string): boolean =>
  text.toString('latin1', 0, start.length) === start;

const parseHead = (text: Buffer, headEnd: number): unknown => parse(`${text.toString('utf8', 0, headEnd)}}`);

function decompress(orders: Buffer, bytes: number): Buffer {
  try {
    return decompressOrders(orders, bytes);
  } catch (error) {
    if (!(error instanceof DamagedOrders)) throw error;
    throw new UnreadableJob('the payload cannot be read: its compressed orders are damaged');
  }
}

/** Reads a payload of version 1, and one of version 2 whose fields are in another order. */
function readParsedOrders(text: string): Jobs['sync'] {
  const payload = parse(text) as Jobs['sync'] & { orders: unknown[] };
  const version = versionOf(payload);
  if (Number.isInteger(version) && (version as number) > compressedVersion) throw newerVersion();
  if (version === compressedVersion)
    throw new UnreadableJob('the payload cannot be read: its fields are in another order');
  if (version !== 1 && version !== plainVersion) throw unknownVersion(compressedVersion);
  validate(ordersSchemas[version], payload);
  return jobOf({ ...payload, count: payload.orders.length }, Buffer.from(JSON.stringify(payload.orders)));
}

function jobOf(fields: Omit<Jobs['sync'], 'json'>, json: Buffer): Jobs['sync'] {
  const { merchantId, version, count: orders, requestId, traceparent } = fields;
  return { merchantId, version, count: orders, json, requestId, traceparent };
}

/** The errors of JSON.parse quote the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableJob('the payload cannot be read: it is not JSON');
  }
}

function versionOf(payload: unknown): unknown {
  return (payload as { v?: unknown } | null)?.v ?? 1;
}

function newerVersion(): NewerJob {
  return new NewerJob(
    `the payload has a newer version, this release reads version ${compressedVersion}: ` +
      'a worker of the newer release must take the job',
  );
}

function unknownVersion(read: number): UnreadableJob {
  return new UnreadableJob(
    `the payload has an unknown version, this release reads version ${read}: ` +
      'update the worker, then retry the job',
  );
}

function validate(schema: Joi.ObjectSchema, payload: unknown): void {
  const { error } = schema.validate(payload);
  if (error) throw new UnreadableJob(`the payload cannot be read: ${error.message}`);
}
