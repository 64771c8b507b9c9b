import sendOrderByCurl from './send-order.sh.txt?raw';
import sendOrderByNode from './send-order.mjs.txt?raw';

/** A first order by curl; without a key there is a place for it. */
export const syncWithCurl = (apiUrl: string, secretKey = 'svc_sk_…'): string =>
  sendOrderByCurl
    .replace('__SECRET_KEY__', secretKey)
    .replace('__API_URL__', apiUrl)
    .replaceAll('__NOW__', new Date().toISOString());

/** The same from Node 20 or newer, as an .mjs file; the key is taken from the environment. */
export const syncWithNode = (apiUrl: string): string => sendOrderByNode.replace('__API_URL__', apiUrl);
