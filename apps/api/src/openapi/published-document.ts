import { buildOpenApiDocument } from './document.ts';

/** The address of the API in docs/openapi.json. The console leaves it out. */
export const publishedApiUrl = 'https://api.example.com';

/** The text of docs/openapi.json. `npm run openapi:document` writes it. */
export function publishedDocument(): string {
  return `${JSON.stringify(buildOpenApiDocument(publishedApiUrl), null, 2)}\n`;
}
