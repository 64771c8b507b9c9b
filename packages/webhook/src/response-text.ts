import { TextDecoder } from 'node:util';

/** Text of a body's beginning; `cut` when bytes at its end had to go. */
export type ResponseText = { text: string; cut: boolean };

/**
 * The first `limit` bytes of a body as text that PostgreSQL can keep: no NUL, no lone surrogates, at most
 * `limit` bytes of UTF-8. The charset of `contentType` counts when Node knows it, else it is UTF-8; bytes
 * that are not text become U+FFFD.
 */
export function responseText(body: Buffer, contentType: string | undefined, limit: number): ResponseText {
  if (body.length === 0) return { text: '', cut: false };
  const kept = body.subarray(0, limit);
  let cut = kept.length < body.length;
  let text = decode(kept, contentType, cut);
  if (text.includes('\0')) text = text.replaceAll('\0', '\ufffd');
  if (Buffer.byteLength(text) > limit) {
    // Replaced bytes and other charsets grow in UTF-8.
    text = new TextDecoder().decode(Buffer.from(text).subarray(0, limit), { stream: true });
    cut = true;
  }
  return { text, cut };
}

function decode(bytes: Buffer, contentType: string | undefined, cut: boolean): string {
  const charset = /charset="?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  // The usual case, and several times faster than a decoder.
  if (!cut && /^utf-?8$/i.test(charset)) return bytes.toString();
  // In streaming mode a character that is cut in two at the end is dropped instead of becoming U+FFFD.
  return decoderOf(charset).decode(bytes, { stream: cut });
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
