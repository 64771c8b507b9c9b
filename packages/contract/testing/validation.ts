import { validateOrders } from '../src/orders/validate-orders.ts';
import type { OrdersValidation, ValidationOptions } from '../src/orders/validate-orders.ts';

/** Validates a body. The time zone is Asia/Seoul. */
export const validate = (
  body: unknown,
  options: Partial<ValidationOptions> = {},
): Promise<OrdersValidation> => validateOrders(body, { timeZone: 'Asia/Seoul', ...options });

/** The orders of a valid request, parsed from their JSON. */
export function ordersOf(validation: OrdersValidation): Record<string, unknown>[] {
  if (validation.kind !== 'valid') throw new Error(JSON.stringify(validation.params));
  const { count, json } = validation.orders;
  const parsed = JSON.parse(json) as Record<string, unknown>[];
  if (parsed.length !== count) throw new Error(`${count} orders stated, ${parsed.length} found`);
  return parsed;
}

/** The error of each invalid field by its path. */
export async function problemsOf(body: unknown): Promise<Record<string, string>> {
  const validation = await validate(body);
  return validation.kind === 'valid' ? {} : validation.params;
}
