import type { RequestHandler } from 'express';
import type { Logger } from '@rewardhook/process';

/**
 * Logs every request that changes the queues: who, from where, what, and with which result. The dashboard has no database for an
 * audit.
 */
export function logChanges(log: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const { method, path } = request;
      const by: unknown = response.locals['role'];
      const address = request.ip;
      response.once('finish', () =>
        log.info('change requested', {
          by,
          address,
          method,
          path,
          status: response.statusCode,
          requestId: response.getHeader('x-request-id'),
        }),
      );
    }
    next();
  };
}
