import { maxBodyBytesOf, openReceiver, readChunks } from './receiver.ts';
import type { BodyFailure, WebhookReceiverOptions } from './receiver.ts';
import { verificationFailures } from './verify-input.ts';
import type { VerificationOptions, WebhookVerification } from './verify-input.ts';
import { verifyWithWebCrypto } from './web-crypto.ts';

export { handledInDatabase, handledInMemory } from './handled-events.ts';
export type { HandledEvents, HandledTransaction } from './handled-events.ts';
export { idempotencyKeyOf } from './webhook-event.ts';
export type {
  EventContext,
  EventHandlers,
  OnEvent,
  ReceiverCode,
  WebhookReceiverOptions,
} from './receiver.ts';
export type { VerificationFailure, VerificationOptions, WebhookVerification } from './verify-input.ts';
export type { EventOf, EventType, WebhookEvent } from './events.ts';

/**
 * Verifies a `Request` with WebCrypto, and returns its event. Reads the body, so the request cannot be read before or after.
 * @throws TypeError for errors of the caller: no secret, an unusable one, a body that was read before
 */
export async function verifyRequest(
  request: Request,
  options: VerificationOptions & { now?: Date | number },
): Promise<WebhookVerification> {
  const body = await readBody(request, maxBodyBytesOf(options));
  if (body === 'body_not_raw') throw new TypeError('the body of the request was read before');
  if (body === 'body_too_large') return { ok: false, reason: body, message: verificationFailures[body] };
  // The signature does not cover what has not arrived.
  const bytes = typeof body === 'string' ? new Uint8Array() : body;
  return verifyWithWebCrypto({ ...options, headers: request.headers, body: bytes });
}

/**
 * Creates a handler for runtimes with `Request` and `Response`: Cloudflare Workers, Deno, Bun, Hono, and route handlers of
 * Next. It needs no API of Node. Answers as `webhookReceiver` does.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function webhookHandler<Transaction = undefined>(
  options: WebhookReceiverOptions<Transaction>,
): (request: Request) => Promise<Response> {
  const receive = openReceiver(options, verifyWithWebCrypto);
  return async (request) => {
    const body = await readBody(request, maxBodyBytesOf(options));
    return new Promise((resolve, reject) => {
      receive(request.headers, body, ({ status, ...answer }) => {
        const headers = { 'content-type': 'application/json' };
        resolve(new Response(JSON.stringify(answer), { status, headers }));
      }).catch(reject);
    });
  };
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  if (request.bodyUsed) return 'body_not_raw';
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks = { next: () => reader.read() } as AsyncIterator<unknown>;
  const body = await readChunks(chunks, maxBytes);
  if (typeof body === 'string') await reader.cancel().catch(() => undefined);
  return body;
}
