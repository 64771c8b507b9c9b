/** The codes of errors: those of the API, and those of the SDK. A later version of the API can add codes. */
export type RewardhookErrorCode =
  | 'invalid_request'
  | 'invalid_api_key'
  | 'public_key_required'
  | 'origin_not_allowed'
  | 'rate_limited'
  | 'service_unavailable'
  | 'unreachable'
  | 'not_initialized'
  | 'invalid_settings'
  | 'invalid_member'
  | (string & {});

/** The error of a call that failed after all retries, or that could not be made. */
export interface RewardhookError extends Error {
  code: RewardhookErrorCode;
  /** Name of each invalid field → its error, when `code` is `invalid_request` or `invalid_settings`. */
  params?: Record<string, string>;
}

const maxAttempts = 4;
const firstDelayMs = 500;
const attemptTimeoutMs = 10_000;

/**
 * Posts JSON and returns `data` of the response. Temporary failures (no response, 429, 5xx) are retried after about 0.5,
 * 1.5 and 4.5 s.
 * @throws RewardhookError
 */
export async function callApi(url: string, publicKey: string, body: object): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = rewardhookError('unreachable', 'Rewardhook did not answer.');
    const policy = watchPolicy(url);
    try {
      const response = await post(url, publicKey, JSON.stringify(body));
      const answer = (await response.json()) as { data?: unknown } & Partial<RewardhookError>;
      if (response.ok && answer.data) return answer.data;
      // JSON of another server, such as a proxy, has no code.
      if (answer.code)
        Object.assign(failure, { code: answer.code, message: answer.message, params: answer.params });
      if (response.status < 500 && response.status !== 429) attempt = maxAttempts;
    } catch (error) {
      // No response, or one that is not from the API: retried, unless the page itself forbids the call.
      if (await policy.isViolated()) {
        failure.message = `The Content Security Policy of the page forbids the call: add ${new URL(url).origin} to connect-src.`;
        attempt = maxAttempts;
      } else if (error instanceof TypeError) failure.message += refusedByBrowser;
    } finally {
      policy.end();
    }
    if (attempt >= maxAttempts) throw failure;
    const delay = firstDelayMs * 3 ** (attempt - 1) * (1 + Math.random() / 4);
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

/** A browser does not say to a page why it got no answer. */
const refusedByBrowser =
  ' If other pages reach it, the browser refused the call: its console says whether by CORS, the Content Security Policy or a content blocker.';

/** What the SDK uses of a document that has a Content Security Policy. */
interface PolicedDocument {
  addEventListener?(type: string, listen: (event: { blockedURI?: string }) => void): void;
  removeEventListener?(type: string, listen: (event: { blockedURI?: string }) => void): void;
}

/** Notes whether the policy of the page blocks a URL. */
function watchPolicy(url: string) {
  const { document } = globalThis as unknown as { document?: PolicedDocument };
  const type = 'securitypolicyviolation';
  let violated = false;
  const listen = ({ blockedURI }: { blockedURI?: string }) => (violated ||= blockedURI === url);
  document?.addEventListener?.(type, listen);
  return {
    // The event may follow the failure.
    isViolated: () => new Promise((resolve) => setTimeout(() => resolve(violated), 50)),
    end: () => document?.removeEventListener?.(type, listen),
  };
}

/** Makes a RewardhookError. */
export function rewardhookError(code: RewardhookErrorCode, message: string): RewardhookError {
  return Object.assign(new Error(message), { code });
}

async function post(url: string, publicKey: string, body: string): Promise<Response> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), attemptTimeoutMs);
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': publicKey },
      body,
      credentials: 'omit',
      // The request completes even if the page is left right after the sign-up.
      keepalive: true,
      signal: timeout.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
