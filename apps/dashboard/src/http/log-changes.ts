import type { RequestHandler } from 'express';
import type { Logger } from '@rewardhook/process';

/**
 * Logs every request that changes the queues: which account, from where, what, and with which result. The dashboard has no database for an
 * audit. A request whose client does not wait for the answer is logged too, with the status null.
 */
export function logChanges(log: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const { method, path } = request;
      const { role: by, account } = response.locals;
      const address = request.ip;
      response.once('close', () =>
        log.info('change requested', {
          by,
          account,
          address,
          method,
          path,
          status: response.headersSent ? response.statusCode : null,
          requestId: response.getHeader('x-request-id'),
        }),
      );
    }
    next();
  };
}
