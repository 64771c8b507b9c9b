/** A smaller buffer is not worth the call, and may share its memory with others. */
const minBytes = 4_096;

/** `ArrayBuffer.prototype.transfer`, which Node 20 does not have. */
const { transfer } = ArrayBuffer.prototype as {
  transfer?: (this: ArrayBufferLike, bytes: number) => ArrayBufferLike;
};

/**
 * Frees the memory of a buffer that nobody reads any more, and no socket still sends: it is empty afterwards. Otherwise V8
 * frees a buffer that has become old when it collects old objects, which it does more often the more of them wait
 * (decision 011). A buffer that is small, or a view of a larger one, is left as it is.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return;
  if (transfer) transfer.call(buffer, 0);
  // The memory moves to a new object, which is freed when V8 collects young objects.
  else structuredClone(undefined, { transfer: [buffer as ArrayBuffer] });
}
