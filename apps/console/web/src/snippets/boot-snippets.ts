import boot from './boot.html.txt?raw';

export { default as userHash } from './user-hash.mjs.txt?raw';

/** What a merchant's pages boot a member with; the hash comes from the server. */
export const bootByHtml = (apiUrl: string): string => boot.replace('__API_URL__', apiUrl);
