/** A call that failed for good. `code` is the API's error code, or `unreachable`. */
export interface RewardhookError extends Error {
  code: string;
  /** What is wrong with which field, when `code` is `invalid_request`. */
  params?: Record<string, string>;
}

const mostTries = 4;
const firstWaitMs = 500;
const longestTryMs = 10_000;

/**
 * Posts JSON and returns the `data` of the answer. What may pass (no answer, 429, 5xx) is tried again, four times
 * in all, after about 0.5, 1.5 and 4.5 s.
 * @throws RewardhookError
 */
export async function callApi(url: string, publicKey: string, body: object): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const failure = failed('unreachable', 'Rewardhook did not answer.');
    try {
      const response = await post(url, publicKey, JSON.stringify(body));
      const answer = (await response.json()) as { data: unknown } & RewardhookError;
      if (response.ok) return answer.data;
      Object.assign(failure, { code: answer.code, message: answer.message, params: answer.params });
      if (response.status < 500 && response.status !== 429) tries = mostTries;
    } catch {
      // No answer, or none of ours: another try may do better.
    }
    if (tries >= mostTries) throw failure;
    const wait = firstWaitMs * 3 ** (tries - 1) * (1 + Math.random() / 4);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** A RewardhookError. */
export function failed(code: string, message: string): RewardhookError {
  return Object.assign(new Error(message), { code });
}

async function post(url: string, publicKey: string, body: string): Promise<Response> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), longestTryMs);
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': publicKey },
      body,
      credentials: 'omit',
      // A page that is left right after the sign-up still gets its call through.
      keepalive: true,
      signal: giveUp.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
