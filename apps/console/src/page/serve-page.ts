import { existsSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';
import staticGzip from 'express-static-gzip';
import { notFound, refuse } from '../http/console-error.ts';

/**
 * Serves the built page. Files with a hash in their name never expire and are sent as the build compressed them. Every
 * other path is answered with the page, which routes by the path. Before the build the response is 503.
 */
export function servePage(folder: string): Router {
  const router = Router();
  const index = join(folder, 'index.html');
  router.use(
    '/assets',
    staticGzip(join(folder, 'assets'), {
      index: false,
      enableBrotli: true,
      orderPreference: ['br'],
      serveStatic: { immutable: true, maxAge: '1y', index: false, redirect: false },
    }),
    () => {
      throw notFound();
    },
  );
  router.use(express.static(folder, { index: false, redirect: false, cacheControl: false }));
  router.get('/{*path}', (_request, response) => {
    if (!existsSync(index)) throw refuse('page_not_built');
    // Revalidated each time, so that a new version is used at once.
    response.sendFile(index, { cacheControl: false, headers: { 'cache-control': 'no-cache' } });
  });
  return router;
}
