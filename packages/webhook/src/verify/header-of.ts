/** Request headers as Node, Express or fetch give them; names in any case. */
export type WebhookHeaders =
  { get: (name: string) => string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, `name` in lower case; one that is empty, or comes several times, is undefined. */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) || undefined;
  const values = Object.keys(headers)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => headers[key] ?? []);
  return values.length === 1 ? values[0] || undefined : undefined;
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get: (name: string) => string | null } {
  return typeof headers.get === 'function';
}
