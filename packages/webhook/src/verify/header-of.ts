/** Request headers as Node, Express or fetch give them; names in any case. */
export type WebhookHeaders =
  { get: (name: string) => string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, `name` in lower case; one that is empty, no text, or comes several times, is undefined. */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const values: unknown[] = isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.keys(headers)
        .filter((key) => key.toLowerCase() === name)
        .flatMap((key) => headers[key] ?? []);
  const [value, ...more] = values;
  return typeof value === 'string' && value !== '' && more.length === 0 ? value : undefined;
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get: (name: string) => string | null } {
  return typeof headers.get === 'function';
}
