import type { IncomingHttpHeaders } from 'node:http';
import type { AttemptError, AttemptResponse, AttemptSending } from './attempt-result.ts';
import { decodeBody } from './decode-body.ts';
import { boundedHeaders, firstValue } from './response-headers.ts';
import { responseText } from './response-text.ts';
import { parseRetryAfter } from './retry-after.ts';

/** An answer as it came off the wire; `cut` when reading stopped at the size limit. */
export type RawAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  cut: boolean;
  keepBytes: number;
} & AttemptSending;

/** Makes the outcome of a raw answer, decompressed as far as it is kept. */
export async function readAnswer(raw: RawAnswer): Promise<AttemptResponse> {
  const encoding = firstValue(raw.headers['content-encoding'])?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || raw.body.length === 0)
    return outcome(raw, raw.body, raw.cut);
  const { bytes, cut } = await decodeBody(raw.body, encoding, raw.keepBytes);
  return outcome(raw, bytes, cut || raw.cut);
}

/** Adds to a failure what came of its answer: why it failed, or when to come again. Never rejects. */
export async function addBeginning(failed: AttemptError, raw: RawAnswer): Promise<AttemptError> {
  try {
    const { responseBody, retryAfterSeconds } = await readAnswer(raw);
    return { ...failed, responseBody, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  } catch {
    return failed;
  }
}

function outcome(raw: RawAnswer, body: Buffer, cut: boolean): AttemptResponse {
  const { status, headers, keepBytes, timings, connectionReused, requestHeaders } = raw;
  const kept = responseText(body, headers['content-type'], keepBytes);
  const retryAfterSeconds = parseRetryAfter(firstValue(headers['retry-after']), Date.now());
  return {
    result: 'response',
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    responseHeaders: boundedHeaders(headers),
    responseBody: kept.text,
    truncated: cut || kept.cut,
    timings,
    connectionReused,
    ...(requestHeaders && { requestHeaders }),
  };
}
