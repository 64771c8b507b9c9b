import type { RequestHandler } from 'express';
import type { Logger } from '@rewardhook/process';

/** Logs who changed what in the queues. */
export function logChanges(log: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const { method, path } = request;
      const by: unknown = response.locals['role'];
      response.once('finish', () =>
        log.info('a change was asked for', { by, method, path, status: response.statusCode }),
      );
    }
    next();
  };
}
