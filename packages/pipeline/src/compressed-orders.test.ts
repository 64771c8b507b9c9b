import { randomBytes } from 'node:crypto';
import { compressOrders, DamagedOrders, decompressOrders } from './compressed-orders.ts';
import type { StoredOrders } from './compressed-orders.ts';

/** A JSON array with this number of bytes. */
const arrayOf = (bytes: number): Buffer => Buffer.from(`["${'order'.repeat(bytes).slice(0, bytes - 4)}"]`);
const compress = (...pieces: Buffer[]): StoredOrders => compressOrders({ orders: 1, pieces });
const textOf = ({ pieces }: StoredOrders): Buffer => Buffer.concat(pieces);

describe('Compressed orders', () => {
  it.each([16_384, 57_000, 262_144, 262_145, 2_000_000])(
    'of %d bytes are decompressed as they were',
    (bytes) => {
      const json = arrayOf(bytes);
      const stored = compress(json.subarray(0, 1_000), json.subarray(1_000));
      expect(stored).toMatchObject({ orders: 1, bytes, compressed: true });
      expect(decompressOrders(textOf(stored), bytes).equals(json)).toBe(true);
    },
  );

  it('do not contain what was compressed before them', () => {
    const [large, small] = [arrayOf(200_000), arrayOf(20_000)].map((json) => compress(json));
    expect(decompressOrders(textOf(small as StoredOrders), 20_000).equals(arrayOf(20_000))).toBe(true);
    expect(decompressOrders(textOf(large as StoredOrders), 200_000).equals(arrayOf(200_000))).toBe(true);
  });

  it('have memory of their own, so that it can be moved and freed', () => {
    const stored = compress(arrayOf(57_000));
    const text = stored.pieces[0] as Buffer;
    expect(text.buffer.byteLength).toBe(text.length);
    const json = decompressOrders(text, 57_000);
    expect(json.buffer.byteLength).toBe(json.length);
  });

  it.each([
    ['small', arrayOf(16_383)],
    ['random', Buffer.from(JSON.stringify([randomBytes(50_000).toString('base64')]))],
  ])('are stored as they are when they are %s', (_what, json) => {
    const stored = compress(json);
    expect(stored).toMatchObject({ bytes: json.length, compressed: false });
    expect(textOf(stored).equals(json)).toBe(true);
  });

  it('are refused when a byte was changed', () => {
    const json = Buffer.from(
      JSON.stringify(Array.from({ length: 800 }, (_, index) => ({ order_id: `o-${index}` }))),
    );
    const stored = compress(json);
    const deflated = Buffer.from(textOf(stored).toString(), 'base64');
    for (let at = 2; at < deflated.length; at += 97) {
      const changed = Buffer.from(deflated);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const text = Buffer.from(changed.toString('base64'));
      expect(() => decompressOrders(text, json.length)).toThrow(DamagedOrders);
    }
  });
});
