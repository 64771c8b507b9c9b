import { resolve } from 'node:path';

/** The folder of the checkout, the same seen from `src` and from `dist`. */
export const projectRoot = resolve(import.meta.dirname, '../../..');
