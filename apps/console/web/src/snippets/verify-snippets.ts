import receive from './receive.mjs.txt?raw';
import receiveWithLibrary from './receive-with-library.mjs.txt?raw';

/** A receiver with the library: it verifies, discards duplicates and answers. */
export const verifyByLibrary: string = receiveWithLibrary;

/** The same without a library. */
export const verifyByNode: string = receive;
