/**
 * What a span says about an error: its class and code. Its message can contain values, since an error of PostgreSQL quotes
 * the row. A text is from the caller, and stays as it is.
 */
export function describeFailure(error: unknown): string {
  if (typeof error === 'string') return error;
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  const parts = [name, code].filter((part) => typeof part === 'string' || typeof part === 'number');
  return parts.join(' ').slice(0, 100) || 'unknown error';
}
