import { receivedHeaders } from './node-receiver.ts';
import { maxBodyBytesOf, openReceiver } from './receiver.ts';
import type { ReceiverAnswer, WebhookReceiverOptions } from './receiver.ts';
import type { WebhookHeaders } from './verify-input.ts';
import { verifyWebhook } from './verify-webhook.ts';

/** What the plugin uses of Fastify. */
export type FastifyLike = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parse: (request: unknown, body: Buffer) => Promise<Buffer>,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { body: unknown; raw: { headersDistinct?: WebhookHeaders; headers: WebhookHeaders } },
      reply: { code(status: number): { send(body: unknown): unknown } },
    ) => Promise<unknown>,
  ): unknown;
};

/** A webhook receiver, and its path. */
export type FastifyReceiverOptions<Transaction = undefined> = WebhookReceiverOptions<Transaction> & {
  /** Such as `/webhooks`. */
  path: string;
};

/**
 * A plugin for Fastify: `app.register(webhookReceiver({ path: '/webhooks', … }))`. It reads the raw bytes of its own route;
 * the other routes of the app keep their parsers.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function webhookReceiver<Transaction = undefined>(
  options: FastifyReceiverOptions<Transaction>,
): (fastify: FastifyLike) => Promise<void> {
  const receive = openReceiver(options, verifyWebhook);
  if (typeof options.path !== 'string' || !options.path.startsWith('/'))
    throw new TypeError('path must begin with a slash');
  return async (fastify) => {
    fastify.removeAllContentTypeParsers();
    const limits = { parseAs: 'buffer', bodyLimit: maxBodyBytesOf(options) } as const;
    fastify.addContentTypeParser('*', limits, async (_request, body) => body);
    fastify.post(options.path, async ({ body, raw }, reply) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      let answered: ReceiverAnswer | undefined;
      await receive(receivedHeaders(raw), bytes, (answer) => {
        answered = answer;
        const { status, ...document } = answer;
        reply.code(status).send(document);
      });
      return answered && reply;
    });
  };
}
