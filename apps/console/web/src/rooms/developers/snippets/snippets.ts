import receive from '../../../../../../../examples/receivers/node.mjs?raw';
import receiveWithLibrary from '../../../../../../../examples/receivers/quickstart.mjs?raw';
import type { SignUpResponse } from '../../../data/types.ts';
import { shownMode } from '../../../app/mode.ts';
import boot from './boot.html.txt?raw';
import sendOrderByNode from './send-order.mjs.txt?raw';
import sendOrderByCurl from './send-order.sh.txt?raw';

export { default as userHashSnippet } from './user-hash.mjs.txt?raw';

/** The file with the variables that the examples and the quickstart read. */
export const environmentSnippet = (apiUrl: string, keys: SignUpResponse['first_keys']): string =>
  `REWARDHOOK_BASE_URL=${apiUrl}
REWARDHOOK_SECRET_KEY=${keys.secret_key}
REWARDHOOK_SIGNING_SECRET=${keys.signing_secret}
`;

/** Sends an order with curl. A placeholder stands in the place of the key. */
export const curlSnippet = (apiUrl: string): string =>
  sendOrderByCurl
    .replace('__SECRET_KEY__', shownMode() === 'test' ? 'svc_sk_test_…' : 'svc_sk_…')
    .replace('__API_URL__', apiUrl)
    .replaceAll('__NOW__', new Date().toISOString());

/** Sends an order with Node 20 or newer, as an .mjs file. Reads the key from the environment. */
export const nodeSnippet = (apiUrl: string): string => sendOrderByNode.replace('__API_URL__', apiUrl);

/** Boots a member on a page of the merchant. The server provides the hash. */
export const bootSnippet = (apiUrl: string): string => boot.replace('__API_URL__', apiUrl);

/** Receives and verifies webhooks with the library, and discards duplicates. */
export const libraryReceiverSnippet: string = receiveWithLibrary;

/** Receives and verifies webhooks without a library, and discards duplicates. */
export const nodeReceiverSnippet: string = receive;
