import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { buildOpenApiDocument } from './document.ts';

/** GET /openapi.json: the description of the API, for every origin. It is built once. */
export function serveOpenApiDocument(apiUrl: string): RequestHandler {
  const body = Buffer.from(JSON.stringify(buildOpenApiDocument(apiUrl)));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return (request, response) => {
    response.set({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'content-type': 'application/json',
      etag,
    });
    const known = (request.get('if-none-match') ?? '').split(',');
    // A proxy that compresses makes the tag weak.
    if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return void response.status(304).end();
    response.status(200).send(body);
  };
}
