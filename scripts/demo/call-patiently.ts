import type { Stack } from '@rewardhook/local-stack';

/**
 * Calls a server of the stack until it answers with something other than 429 or a status of 500 and above: a busy one refuses
 * requests, and with `npm run dev` it may restart at any moment. What is sent must be harmless when it arrives twice.
 */
export function callPatiently(
  stack: Stack,
  what: string,
  url: string,
  request: { headers?: Record<string, string>; body: unknown },
): Promise<Response> {
  return stack.waitWhileMoving(what, async (say) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
    });
    if (response.status !== 429 && response.status < 500) return response;
    say(`answered ${response.status}`);
    throw new Error(await response.text());
  });
}
