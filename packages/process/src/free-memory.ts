/** A smaller buffer is not worth the call, and may share its memory with others. */
const minBytes = 4_096;

/**
 * Frees the memory of a buffer that nobody reads any more: it is empty afterwards. Otherwise V8 frees a buffer that has
 * become old when it collects old objects, and until then lets up to 64 MB of them wait (decision 011). A buffer that is
 * small, or a view of a larger one, is left as it is.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return;
  // The memory moves to a new object, which the next collection of young objects finds.
  structuredClone(undefined, { transfer: [buffer as ArrayBuffer] });
}
