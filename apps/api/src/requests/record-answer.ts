import type { FieldError } from '@rewardhook/contract';
import type { KeyOwner, NewRequest, RecordedError } from '@rewardhook/database';
import type { AccessLine } from '@rewardhook/process';
import type { Response } from 'express';
import { bodyBytesOf } from '../http/json-body.ts';
import { errorOf } from '../http/render-error.ts';
import { warningsOf } from '../http/warnings.ts';
import { findOwnerOf } from '../keys/authenticate.ts';
import type { RequestLog } from './request-log.ts';

/** The most invalid fields, and ids of orders, of one request. */
const mostListed = 20;

/** The most bytes that are stored as a size: PostgreSQL's largest integer. */
const largestSize = 2_147_483_647;

/**
 * Records an answered request of a merchant: those with a secret key, and the refused ones with a public key. A request with an unknown
 * key belongs to nobody, and one whose client left before the answer began has no result.
 */
export function recordAnswer(log: Pick<RequestLog, 'record'>, response: Response, line: AccessLine): void {
  const owner = findOwnerOf(response);
  const { status } = line;
  if (owner === undefined || status === null) return;
  const code = errorOf(response)?.code;
  if (owner.kind === 'public' && code === undefined) return;
  log.record({
    merchantId: owner.merchantId,
    keyId: owner.keyId,
    route: routeOf(line),
    code,
    hasWarnings: line.warnings !== undefined,
    describe: () => describeRequest(owner, response, line, status),
  });
}

const routeOf = ({ method, route }: AccessLine) => `${method} ${route}`;

function describeRequest(
  { keyId, merchantId }: KeyOwner,
  response: Response,
  line: AccessLine,
  status: number,
): NewRequest {
  const error = errorOf(response);
  const warnings = warningsOf(response);
  const orderIds = Object.values(error?.orderIds ?? warnings?.orderIds ?? {});
  return {
    merchantId,
    keyId,
    at: Date.now(),
    route: routeOf(line),
    status,
    code: error?.code ?? null,
    size: sizeOf(response),
    durationMs: line.durationMs,
    requestId: line.requestId,
    errors: Object.entries(error?.fields ?? {})
      .slice(0, mostListed)
      .map(([path, field]) => recordedError(path, field)),
    orderIds: [...new Set(orderIds)].slice(0, mostListed),
    warnings: [
      ...new Set(Object.values(warnings?.found ?? {}).flatMap((found) => found.map(({ code }) => code))),
    ],
  };
}

/** The bytes of the body, decompressed; of one that was not read, those that the client announced. */
function sizeOf(response: Response): number | null {
  const read = bodyBytesOf(response);
  if (read > 0) return read;
  const announced = response.req.get('content-length');
  return announced === undefined ? null : Math.min(Number(announced), largestSize);
}

/** Errors of fields that we do not know, whose paths end with a name of the client's. */
const ofUnknownFields = new Set<string>(['unknown_field', 'misspelled_field', 'unknown_parameter']);

/** An order or a product of one, at the beginning of a path. */
const knownObject = /^orders\[\d{1,4}\](?:\.items\[\d{1,4}\](?=\.))?(?=\.)/;

/** The parameters of field errors that have numbers and names of our own. */
const ownParameters = ['limit', 'position', 'field', 'fields', 'options', 'instead', 'known'];

/** A field error without texts of the client. The text of a rule that only one route has may name an id: it is left out. */
function recordedError(path: string, error: FieldError | string): RecordedError {
  if (typeof error === 'string') return { path, code: 'invalid' };
  // Its only parameter is a character of the body.
  if (error.code === 'json_unexpected_character') return { path, code: 'json_invalid' };
  const parameters = Object.entries(error.parameters as Record<string, string | number>);
  return {
    path: ofUnknownFields.has(error.code) ? (knownObject.exec(path)?.[0] ?? '') : path,
    code: error.code,
    ...Object.fromEntries(parameters.filter(([name]) => ownParameters.includes(name))),
  };
}
