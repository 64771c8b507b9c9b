import receive from '../snippets/receive.mjs.txt?raw';
import receiveWithLibrary from '../snippets/receive-with-library.mjs.txt?raw';

/** A receiver with the library: it verifies, discards duplicates and answers. */
export const verifyByLibrary: string = receiveWithLibrary;

/** The same without a library. */
export const verifyByNode: string = receive;
