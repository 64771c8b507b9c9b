import { describeFieldErrors, describeFieldWarnings } from '../src/fields/field-errors.ts';
import type { FieldErrors } from '../src/fields/field-errors.ts';
import { validateOrders } from '../src/orders/validate-orders.ts';
import type { OrdersValidation, ValidationOptions } from '../src/orders/validate-orders.ts';

/** Validates a body. The time zone is Asia/Seoul. */
export const validate = (
  body: unknown,
  options: Partial<ValidationOptions> = {},
): Promise<OrdersValidation> => validateOrders(body, { timeZone: 'Asia/Seoul', ...options });

/** The orders of a valid request, parsed from their JSON. */
export function ordersOf(validation: OrdersValidation): Record<string, unknown>[] {
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.errors));
  const { count, json } = validation.orders;
  const parsed = JSON.parse(json) as Record<string, unknown>[];
  if (parsed.length !== count) throw new Error(`${count} orders stated, ${parsed.length} found`);
  return parsed;
}

/** The error of each invalid field by its path. */
export async function problemsOf(body: unknown): Promise<Record<string, string>> {
  const validation = await validate(body);
  return paramsOf(validation) ?? {};
}

/** The errors of an invalid request as its answer has them; undefined for a valid one. */
export const paramsOf = (
  validation: { kind: 'valid' } | { kind: 'invalid'; errors: FieldErrors },
): Record<string, string> | undefined =>
  validation.kind === 'invalid' ? describeFieldErrors(validation.errors) : undefined;

/** The warnings as the answer has them; undefined without one. @throws when the request is invalid */
export function warningsOf(validation: OrdersValidation): Record<string, string> | undefined {
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.errors));
  return validation.warnings && describeFieldWarnings(validation.warnings.found);
}
