import { UnrecoverableError } from 'bullmq';
import type { Order } from '@rewardhook/contract';
import Joi from 'joi';
import type { Jobs, Stage } from './stages.ts';

/** The version of the format of all payloads. A change that older workers must not handle gets the next one. */
const formatVersion = 1;

/** What is stored in a job: the fields of its stage and the version of their format. */
export type Payload<S extends Stage> = Jobs[S] & { v: number };

/** Adds the version of the format to the fields of a job, for its producer. */
export function toPayload<S extends Stage>(job: Jobs[S]): Payload<S> {
  return { v: formatVersion, ...job };
}

/** The payload of a job cannot be read. The job is not retried: it stays among the failed jobs. */
export class UnreadableJob extends UnrecoverableError {}

/** The payload has the format of another release, which can read it. */
export class OtherFormat extends UnreadableJob {}

const id = Joi.string().max(200).required();
const count = Joi.number().integer().min(0).required();

/** The schema of each stage. Unknown fields are kept. */
const schemas: Record<Stage, Joi.ObjectSchema> = {
  sync: schemaOf({
    merchantId: id,
    version: Joi.number().integer().min(1).required(),
    count,
    // The orders were validated when they were accepted, and PostgreSQL parses the text.
    orders: Joi.string().required(),
    requestId: Joi.string().max(100),
    traceparent: Joi.string().max(100),
  }),
  'reward-evaluation': schemaOf({ merchantId: id, batchId: id, orders: count }),
  'webhook-delivery': schemaOf({ merchantId: id, endpointId: id }),
};

function schemaOf(fields: Joi.SchemaMap): Joi.ObjectSchema {
  return Joi.object(fields).required().unknown().prefs({ convert: false });
}

/**
 * Reads the payload of a job.
 * @throws OtherFormat when it has another version; UnreadableJob when a field is missing or of a wrong type; names no values
 */
export function readPayload<S extends Stage>(stage: S, payload: unknown): Jobs[S] {
  const version = (payload as Partial<Payload<S>> | null)?.v;
  if (version !== undefined && version !== formatVersion)
    throw new OtherFormat(
      `the payload has another format than ${formatVersion}, which this release reads: update the worker, then retry the job`,
    );
  const { error } = schemas[stage].validate(payload);
  if (error) throw new UnreadableJob(`the payload cannot be read: ${error.message}`);
  return payload as Jobs[S];
}

/** Parses the orders of a job. @throws UnreadableJob when they are no orders; names no values */
export function parseOrders({ orders }: Pick<Jobs['sync'], 'orders'>): Order[] {
  const parsed = parse(orders);
  if (!Array.isArray(parsed) || !parsed.every((order) => typeof order === 'object' && order !== null))
    throw new UnreadableJob('the payload cannot be read: it has no orders');
  return parsed as Order[];
}

/** The errors of JSON.parse quote the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableJob('the payload cannot be read: its orders are not JSON');
  }
}
