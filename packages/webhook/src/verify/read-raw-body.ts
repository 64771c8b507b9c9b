/** What the receiver needs of a request; those of `node:http` and of Express fit. */
export type RawRequest = AsyncIterable<unknown> & { body?: unknown };

/** Why there are no raw bytes; each with its status and a sentence for the merchant's developer. */
export const bodyFailures = {
  body_not_raw: [500, 'the body was parsed before the receiver saw it: mount it before express.json()'],
  body_too_large: [413, 'the body is larger than a webhook of ours'],
  body_incomplete: [400, 'the body broke off'],
} as const;

/** One of {@link bodyFailures}. */
export type BodyFailure = keyof typeof bodyFailures;

/**
 * The raw bytes of a request: what `express.raw()` left in `body`, or else the stream itself. A body that
 * somebody has parsed is gone for good: JSON written again has other bytes.
 */
export async function readRawBody(request: RawRequest, maxBytes: number): Promise<Uint8Array | BodyFailure> {
  if (request.body instanceof Uint8Array) {
    return request.body.length > maxBytes ? 'body_too_large' : request.body;
  }
  if (request.body !== undefined) return 'body_not_raw';
  const chunks: Uint8Array[] = [];
  let length = 0;
  // By hand: leaving a `for await` would destroy the connection before it can be answered.
  const reading = request[Symbol.asyncIterator]();
  try {
    for (let next = await reading.next(); !next.done; next = await reading.next()) {
      if (!(next.value instanceof Uint8Array)) return 'body_not_raw';
      length += next.value.length;
      if (length > maxBytes) return 'body_too_large';
      chunks.push(next.value);
    }
  } catch {
    return 'body_incomplete';
  }
  return Buffer.concat(chunks);
}
