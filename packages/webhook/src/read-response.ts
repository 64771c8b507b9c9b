import type { IncomingHttpHeaders } from 'node:http';
import { TextDecoder } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate, type Gunzip } from 'node:zlib';
import type { AttemptResponse, AttemptSending } from './attempt-result.ts';
import { parseRetryAfter } from './retry-schedule.ts';

/** A response as received; `cut` when the body is not all of it, `warning` when something was wrong with it. */
export type RawResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  cut: boolean;
  warning?: string;
  keepBytes: number;
} & AttemptSending;

/** Turns a raw response into a result. The body is decompressed as far as it is kept. */
export async function readResponse(raw: RawResponse): Promise<AttemptResponse> {
  const encoding = firstValue(raw.headers['content-encoding'])?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || raw.body.length === 0)
    return toResult(raw, raw.body, raw.cut);
  const { bytes, cut } = await decodeBody(raw.body, encoding, raw.keepBytes);
  return toResult(raw, bytes, cut || raw.cut);
}

/** The result without its body, which could not be read. */
export function withoutBody(raw: RawResponse, problem: string): AttemptResponse {
  return { ...toResult(raw, Buffer.alloc(0), true), warning: raw.warning ?? problem };
}

function toResult(raw: RawResponse, body: Buffer, cut: boolean): AttemptResponse {
  const { status, headers, keepBytes, warning, timings, requestHeaders } = raw;
  const kept = responseText(body, headers['content-type'], keepBytes);
  const retryAfterSeconds = parseRetryAfter(firstValue(headers['retry-after']), Date.now());
  return {
    result: 'response',
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    responseHeaders: boundedHeaders(headers),
    responseBody: kept.text,
    truncated: cut || kept.cut,
    ...(warning !== undefined && { warning }),
    timings,
    connectionReused: raw.connectionReused,
    retriedOnNewConnection: raw.retriedOnNewConnection,
    ...(requestHeaders && { requestHeaders }),
  };
}

/** The first value of a header that should be sent once. */
function firstValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

const maxHeaders = 40;
const maxNameLength = 100;
const maxValueLength = 500;

/**
 * The headers that are kept with an attempt: the first 40, names up to 100 characters, values up to 500, repeated ones
 * joined. Cookies are left out: they are secrets, and are not needed.
 */
function boundedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name === 'set-cookie' || name === 'set-cookie2' || name === '__proto__')
      continue;
    if (++count > maxHeaders) break;
    const text = typeof value === 'string' ? value : value.join(', ');
    kept[name.slice(0, maxNameLength)] = text.slice(0, maxValueLength);
  }
  return kept;
}

/** The beginning of a body after decompression; `cut` when there is more than `bytes`. */
type DecodedBody = { bytes: Buffer; cut: boolean };

const decoders: ReadonlyMap<string, () => Gunzip> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Decodes a `Content-Encoding` up to `limit` bytes of output. Decompression stops there, so a decompression bomb
 * takes no more memory than a small page. Broken input yields what could be read; an unknown or stacked coding yields
 * nothing (`cut` in both cases). Never rejects.
 */
function decodeBody(body: Buffer, encoding: string, limit: number): Promise<DecodedBody> {
  const createDecoder = decoders.get(encoding);
  if (!createDecoder) return Promise.resolve({ bytes: Buffer.alloc(0), cut: true });
  return new Promise((resolve) => {
    const decoder = createDecoder();
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (cut: boolean): void => {
      decoder.destroy();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, limit), cut });
    };
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) finish(true);
    });
    decoder.on('end', () => finish(false));
    decoder.on('error', () => finish(true));
    decoder.end(body);
  });
}

/** The text of a body's beginning; `cut` when bytes at its end were removed. */
export type ResponseText = { text: string; cut: boolean };

/**
 * The first `limit` bytes of a body as text that PostgreSQL can store: no NUL, no lone surrogates, at most `limit` bytes of
 * UTF-8. Uses the charset of `contentType` if Node supports it, otherwise UTF-8. Invalid bytes become U+FFFD.
 */
export function responseText(body: Buffer, contentType: string | undefined, limit: number): ResponseText {
  if (body.length === 0) return { text: '', cut: false };
  const kept = body.subarray(0, limit);
  let cut = kept.length < body.length;
  let text = decodeText(kept, contentType, cut);
  if (text.includes('\0')) text = text.replaceAll('\0', '\ufffd');
  if (Buffer.byteLength(text) > limit) {
    // Replacement characters and other charsets take more bytes in UTF-8.
    text = new TextDecoder().decode(Buffer.from(text).subarray(0, limit), { stream: true });
    cut = true;
  }
  return { text, cut };
}

function decodeText(bytes: Buffer, contentType: string | undefined, cut: boolean): string {
  const charset = /charset="?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  // The usual case, and several times faster than a TextDecoder.
  if (!cut && /^utf-?8$/i.test(charset)) return bytes.toString();
  // In streaming mode a character that is cut in two at the end is dropped instead of becoming U+FFFD.
  return textDecoder(charset).decode(bytes, { stream: cut });
}

function textDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
