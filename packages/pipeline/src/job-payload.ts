import { UnrecoverableError } from 'bullmq';
import type { Order } from '@rewardhook/contract';
import type { RequestTrace } from '@rewardhook/process';
import Joi from 'joi';
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
 * The version of the payloads with orders. Version 1 was an object with all orders of a request. Version 2 is a text with
 * the number of orders in its head and the orders last, so that a worker reads the head only.
 */
const ordersVersion = 2;

/** What is stored in a job that is a hint: the fields of its stage and the version of their shape. */
export type HintPayload<S extends HintStage> = Jobs[S] & { v: number };

/** Adds the version to the fields of a hint, for its producer. */
export function toPayload<S extends HintStage>(job: Jobs[S]): HintPayload<S> {
  return { v: hintVersion, ...job };
}

/** A payload with orders, of either version, as JSON.parse returns it. `count` is missing in version 1. */
export interface OrdersPayload extends RequestTrace {
  v?: number;
  merchantId: string;
  version: number;
  count?: number;
  orders: Order[];
}

/** The start of every payload of this version with orders, and what stands between its head and the orders. */
const ordersStart = `{"v":${ordersVersion},`;
const beforeOrders = ',"orders":';

const end = Buffer.from('}');

/**
 * Writes the payload of a job with orders, in UTF-8: its head, then the JSON array of the orders, whose pieces are copied as
 * they are.
 */
export function writeOrdersPayload(head: Omit<Jobs['sync'], 'json'>, pieces: readonly Buffer[]): Buffer {
  const start = `${ordersStart}${JSON.stringify(head).slice(1, -1)}${beforeOrders}`;
  return Buffer.concat([Buffer.from(start), ...pieces, end]);
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
 * Reads the text of a job with orders, of this version or of version 1. Of this version only the head is parsed.
 * @throws NewerJob when the job is of a newer release
 * @throws UnreadableJob when the version is unknown or a field is missing or of a wrong type; names no values
 */
export function readOrdersPayload(text: Buffer): Jobs['sync'] {
  const isCurrent = text.toString('latin1', 0, ordersStart.length) === ordersStart;
  const headEnd = isCurrent ? text.indexOf(beforeOrders) : -1;
  if (headEnd < 0) return readParsedOrders(text.toString());
  const fields = parse(`${text.toString('utf8', 0, headEnd)}}`) as Jobs['sync'];
  validate(headSchema, fields);
  return jobOf(fields, text.subarray(headEnd + beforeOrders.length, -1));
}

/** Reads a payload of version 1, and one of this version whose fields are in another order. */
function readParsedOrders(text: string): Jobs['sync'] {
  const payload = parse(text) as Jobs['sync'] & { orders: unknown[] };
  const version = versionOf(payload);
  if (Number.isInteger(version) && (version as number) > ordersVersion)
    throw new NewerJob(
      `the payload has a newer version, this release reads version ${ordersVersion}: ` +
        'a worker of the newer release must take the job',
    );
  if (version !== 1 && version !== ordersVersion) throw unknownVersion(ordersVersion);
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
