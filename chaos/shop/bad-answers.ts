import type { Incoming } from './start-receiver.ts';

/** A way to answer that docs/webhooks.md names, and whether it counts as a failure. */
export interface BadAnswer {
  what: string;
  fails: boolean;
  answer(incoming: Incoming): void;
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  ({ response }: Incoming) =>
    void response.writeHead(code, headers).end();

/** Failures and successes alternate: a breaker opens after seven failures in a row. */
export const badAnswers = (redirectTo: string): readonly BadAnswer[] => [
  { what: '500', fails: true, answer: status(500) },
  {
    what: '204 with a body',
    fails: false,
    answer: ({ raw }) => raw('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nextra', 204),
  },
  { what: 'a redirect', fails: true, answer: status(302, { location: redirectTo }) },
  {
    what: 'a Content-Length that is too large',
    fails: false,
    answer: ({ raw }) => raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', 200),
  },
  // The sender ends it after 15 s.
  { what: 'none', fails: true, answer: () => undefined },
  {
    what: 'a missing last chunk',
    fails: false,
    answer: ({ raw }) => raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n', 200),
  },
  { what: 'a redirect that keeps the method', fails: true, answer: status(307, { location: redirectTo }) },
  {
    what: 'a connection that breaks after the headers',
    fails: false,
    answer: ({ raw }) => raw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n', 200),
  },
  { what: 'another protocol', fails: true, answer: ({ raw }) => raw('220 mail.example ESMTP\r\n') },
  { what: 'an endless body', fails: false, answer: writeForever },
  { what: 'a connection that is closed', fails: true, answer: ({ response }) => void response.destroy() },
  {
    what: 'more body than is read',
    fails: false,
    answer: ({ response }) => void response.writeHead(200).end('x'.repeat(200_000)),
  },
  { what: 'half a status line', fails: true, answer: ({ raw }) => raw('HTTP/1.1 20') },
  {
    what: 'ignored',
    fails: false,
    answer: ({ response }) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"ignored": true}'),
  },
  { what: '404', fails: true, answer: status(404) },
  {
    what: 'an interim response before the last one',
    fails: false,
    answer({ response }) {
      response.writeProcessing();
      response.writeHead(204).end();
    },
  },
];

function writeForever({ response }: Incoming): void {
  response.writeHead(200);
  const writing = setInterval(() => response.write('x'.repeat(1_024)), 20);
  response.once('close', () => clearInterval(writing));
}
