import { setTimeout } from 'node:timers/promises';

/**
 * Calls a route that has to succeed, for what is set up or read back. Resolves with `data` of the answer.
 * @throws when it has another answer than 2xx; 429 and 503 are repeated for a minute
 */
export async function call<T>(url: string, headers: Record<string, string>, body?: object): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { data: T }).data;
    if (attempt === 60 || ![429, 503].includes(response.status))
      throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
    await setTimeout(1_000);
  }
}
