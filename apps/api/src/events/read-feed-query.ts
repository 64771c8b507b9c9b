import { eventTypes } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import type { FeedQuery } from '@rewardhook/database';
import { invalidRequest } from '../http/api-error.ts';

export const defaultLimit = 100;
export const mostEvents = 1_000;
const defaultTypes: EventType[] = ['reward.issue', 'reward.revoke'];

/**
 * The query of a call to the feed; `place` says where a cursor stands, undefined for a wrong one.
 * @throws ApiError `invalid_request` that names all wrong parameters
 */
export function readFeedQuery(
  query: Record<string, unknown>,
  place: (cursor: string) => number | undefined,
): FeedQuery {
  const wrong: Record<string, string> = {};
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, rule: string): T => {
    const given = query[name];
    if (given === undefined || given === '') return fallback;
    const value = typeof given === 'string' ? parse(given) : undefined;
    if (value === undefined) wrong[name] = rule;
    return value ?? fallback;
  };
  const found: FeedQuery = {
    after: read('after', 0, place, 'must be a cursor from `next` of an earlier answer'),
    limit: read('limit', defaultLimit, parseLimit, `must be a whole number from 1 to ${mostEvents}`),
    types: read('types', defaultTypes, parseTypes, `must be one or more of ${eventTypes.join(', ')}`),
  };
  if (Object.keys(wrong).length > 0) throw invalidRequest(wrong);
  return found;
}

function parseLimit(text: string): number | undefined {
  const limit = Number(text);
  return /^\d{1,6}$/.test(text) && limit >= 1 && limit <= mostEvents ? limit : undefined;
}

function parseTypes(text: string): EventType[] | undefined {
  const types = text.split(',').map((type) => type.trim());
  return types.every(isEventType) ? types : undefined;
}

function isEventType(type: string): type is EventType {
  return (eventTypes as readonly string[]).includes(type);
}
