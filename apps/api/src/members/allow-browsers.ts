import type { RequestHandler } from 'express';

/**
 * CORS of a call that browsers make: the page's origin may read the answer, errors too. A page that the merchant does
 * not allow reads that it is not (`requireAllowedOrigin`), and nothing else.
 */
export const allowBrowsers: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  response.vary('origin');
  if (origin !== undefined)
    response.set({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    });
  next();
};

/** Answers the browser's question before the call. It carries no key, so it is the call itself that is judged. */
export const answerPreflight: RequestHandler = (_request, response) => {
  response.set({
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, x-service-key',
    'access-control-max-age': '7200',
  });
  response.status(204).end();
};
