import type { RequestHandler } from 'express';
import type { Logger } from '@rewardhook/process';

/** Logs every change of the queues with the role that made it. */
export function logChanges(log: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const { method, path } = request;
      const by: unknown = response.locals['role'];
      response.once('finish', () =>
        log.info('change requested', { by, method, path, status: response.statusCode }),
      );
    }
    next();
  };
}
