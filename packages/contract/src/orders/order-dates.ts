import { millisecondsOf } from '../fields/date-time.ts';
import { fieldError } from '../fields/field-errors.ts';
import type { RequestWarnings } from '../fields/request-warnings.ts';
import type { OrderHead, OrderItem } from './order.ts';
import { readUpdatedAt } from './updated-at.ts';

type Warnings = Pick<RequestWarnings, 'add'>;

const day = 86_400_000;
const tenMinutes = 600_000;
const datesAfterOrder = ['paid_at', 'cancelled_at', 'returned_at'] as const;
const optionalDates = [...datesAfterOrder, 'updated_at'] as const;

/**
 * Warns of date-times that count as absent: they were sent, and are null in the canonical form. They are not read again for it, because
 * a body has up to 15,000 of them. In strict handling they are errors, so that there is no canonical form.
 */
export function warnOfIgnoredTimes(
  sent: unknown,
  canonical: Partial<Record<(typeof optionalDates)[number], string | null>>,
  path: string,
  warnings: Warnings,
): void {
  for (const name of optionalDates) {
    if (canonical[name] !== null) continue;
    const value = (sent as Record<string, unknown>)[name];
    if (value === undefined || value === null) continue;
    const read = name === 'updated_at' ? readUpdatedAt(value) : null;
    const code = typeof read === 'object' && read !== null ? read.ignored : 'never_set';
    warnings.add(`${path}.${name}`, fieldError(code));
  }
}

/** Warns of dates of an order that are improbable. They change nothing else: an order with a wrong date is still an order. */
export function warnOfDates(
  order: OrderHead,
  items: readonly OrderItem[],
  path: string,
  acceptedAt: number,
  warnings: Warnings,
): void {
  const orderedAt = millisecondsOf(order.order_date);
  if (orderedAt > acceptedAt + day) warnings.add(`${path}.order_date`, fieldError('far_ahead'));
  for (const name of datesAfterOrder) {
    const at = order[name];
    if (at !== null && millisecondsOf(at) < orderedAt - day)
      warnings.add(`${path}.${name}`, fieldError('long_before', { field: 'order_date' }));
  }
  const { updated_at: updatedAt } = order;
  if (updatedAt === null) return;
  const latest = latestDate(order, items, acceptedAt);
  if (latest.at > millisecondsOf(updatedAt) + tenMinutes)
    warnings.add(`${path}.updated_at`, fieldError('before_other_date', { field: latest.field }));
}

/** The latest date of an order that is not ahead of its acceptance, without `updated_at`. */
function latestDate(
  order: OrderHead,
  items: readonly OrderItem[],
  acceptedAt: number,
): { at: number; field: string } {
  let latest = { at: -Infinity, field: '' };
  const consider = (date: string | null, field: string) => {
    if (date === null) return;
    const at = millisecondsOf(date);
    if (at > latest.at && at <= acceptedAt) latest = { at, field };
  };
  for (const name of ['order_date', ...datesAfterOrder] as const) consider(order[name], name);
  for (const item of items) consider(item.cancelled_at, 'cancelled_at of a product');
  return latest;
}
