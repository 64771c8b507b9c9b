import { UnrecoverableError } from 'bullmq';
import Joi from 'joi';
import { stageNames, stages } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';

/*
 * What producers write into a job, and what a worker accepts when it takes one. During a rolling update the two can be
 * of different releases. Rules for changes:
 *
 * - A new field is optional. Older workers ignore it, newer ones accept jobs without it. The version stays.
 * - A change that older workers must not handle gets the next version. The release before it already accepts it.
 */

/** The version of the payloads that this release writes. */
export const payloadVersion = 1;

/** What is stored in a job: the fields of its stage and the version of their shape. */
export type JobPayload<S extends Stage> = Jobs[S] & { v: number };

/** Adds the version to the fields of a job, for its producer. */
export function toPayload<S extends Stage>(job: Jobs[S]): JobPayload<S> {
  return { v: payloadVersion, ...job };
}

/** A worker took a job whose payload it cannot read. The job is not retried: it stays among the failed jobs. */
export class UnreadableJob extends UnrecoverableError {}

/**
 * A worker took a job with the only copy of accepted orders that a newer release wrote. It is retried until a worker of
 * that release takes it: no operator has to do so after a rolling update.
 */
export class NewerJob extends Error {}

type Envelope<S extends Stage> = { [Field in keyof Required<Jobs[S]>]: Joi.Schema };

const id = Joi.string().max(200).required();

/** The fields of each stage. Orders were validated when they were accepted, and are not validated again. */
const envelopes: { [S in Stage]: Envelope<S> } = {
  sync: {
    merchantId: id,
    version: Joi.number().integer().min(1).required(),
    orders: Joi.array().required(),
    requestId: Joi.string().max(100),
    traceparent: Joi.string().max(100),
  },
  'reward-evaluation': { merchantId: id, batchId: id, orders: Joi.number().integer().min(0).required() },
  'webhook-delivery': { merchantId: id, endpointId: id },
};

const schemas = Object.fromEntries(
  stageNames.map((stage) => [
    stage,
    Joi.object(envelopes[stage] as Joi.SchemaMap)
      .required()
      .unknown()
      .prefs({ convert: false }),
  ]),
) as Record<Stage, Joi.ObjectSchema>;

/**
 * Reads the payload of a job. One without `v` is of version 1, which releases before the field wrote. Unknown fields are
 * kept. A hint of a newer release is not retried: while it waited, it would keep the sweeper from adding one that this
 * release can read.
 * @throws NewerJob when the job is of a newer release and holds the only copy of orders
 * @throws UnreadableJob when the version is unknown or a field is missing or of a wrong type; names no values
 */
export function readPayload<S extends Stage>(stage: S, payload: unknown): Jobs[S] {
  const version = (payload as { v?: unknown } | null)?.v ?? payloadVersion;
  if (stages[stage].onlyCopy && Number.isInteger(version) && (version as number) > payloadVersion)
    throw new NewerJob(
      `the payload has a newer version, this release reads version ${payloadVersion}: ` +
        'a worker of the newer release must take the job',
    );
  if (version !== payloadVersion)
    throw new UnreadableJob(
      `the payload has an unknown version, this release reads version ${payloadVersion}: ` +
        'update the worker, then retry the job',
    );
  const { error } = schemas[stage].validate(payload);
  if (error) throw new UnreadableJob(`the payload cannot be read: ${error.message}`);
  return payload as Jobs[S];
}
