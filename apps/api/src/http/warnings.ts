import type { Response } from 'express';
import { describeFieldWarnings } from '@rewardhook/contract';
import type { FieldWarnings } from '@rewardhook/contract';
import { noteWarnings } from '@rewardhook/process';
import { orderIdsField } from './api-error.ts';

/** What a response warns of. */
export interface ResponseWarnings {
  found: FieldWarnings;
  /** The `order_id` of each order that has a warning, by its path. */
  orderIds: Record<string, string>;
}

/**
 * `warnings` and `order_ids` of a response, which the access line and the list of requests name too; nothing when there are no warnings.
 */
export function warningFields(
  response: Response,
  { found, orderIds }: ResponseWarnings,
): { warnings?: Record<string, string>; order_ids?: Record<string, string> } {
  if (Object.keys(found).length === 0) return {};
  noteWarnings(response, found);
  response.locals['warnings'] = { found, orderIds };
  return { warnings: describeFieldWarnings(found), ...orderIdsField(orderIds) };
}

/** What a response warns of; undefined when that is nothing. */
export const warningsOf = (response: Response): ResponseWarnings | undefined =>
  response.locals['warnings'] as ResponseWarnings | undefined;
