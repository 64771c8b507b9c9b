/** Whether nothing else is in the memory of a buffer, so that it can be moved or freed alone. Small ones share a pool. */
export const hasOwnMemory = ({ buffer, byteLength }: Uint8Array): boolean => buffer.byteLength === byteLength;
