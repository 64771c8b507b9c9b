import { resolve } from 'node:path';

/** The folder of the checkout. `src` and `dist` are at the same depth. */
export const projectRoot = resolve(import.meta.dirname, '../../..');
