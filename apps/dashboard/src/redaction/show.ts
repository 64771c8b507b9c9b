import { describeShape } from './describe-shape.ts';

/** Identifiers that this service makes up: `mer_` + 22 base62 characters, and the like. */
const ownId = /^[a-z]{3}_[0-9A-Za-z]{22}$/;

/** An id of a merchant or an endpoint. What has not the form of one may be anything, and is not shown. */
export function showId(value: unknown): string {
  return typeof value === 'string' && ownId.test(value) ? value : describeShape(value);
}

/** How many there are. */
export function showCount(value: unknown): number | string {
  return Array.isArray(value) ? value.length : describeShape(value);
}

/** A number that is no amount: a version, a count. */
export function showNumber(value: unknown): number | string {
  return typeof value === 'number' ? value : describeShape(value);
}
