import { createBrotliDecompress, createGunzip, createInflate, type Gunzip } from 'node:zlib';

/** The beginning of a body after decompression; `cut` when there is more than `bytes`. */
export type DecodedBody = { bytes: Buffer; cut: boolean };

const decoders: ReadonlyMap<string, () => Gunzip> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Undoes a `Content-Encoding`, up to `limit` bytes of output: decompression stops there, so that a bomb
 * costs no more than a page. Broken input gives what could be read, an unknown or a stacked coding nothing
 * (`cut` in both cases). Never rejects.
 */
export function decodeBody(body: Buffer, encoding: string, limit: number): Promise<DecodedBody> {
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
