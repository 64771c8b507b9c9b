import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ObservedAnswer } from './check-answer.ts';

/** Ends the observation. */
export type StopObserving = () => void;

/**
 * Calls `onAnswer` with every complete answer of the HTTP server in this process that listens on a URL, whatever client
 * asked for it.
 */
export function observeAnswers(url: string, onAnswer: (answer: ObservedAnswer) => void): StopObserving {
  const port = Number(new URL(url).port);
  const onRequest = (message: unknown) => {
    const { request, response, server } = message as {
      request: IncomingMessage;
      response: ServerResponse;
      server: Server;
    };
    const address = server.address();
    if (typeof address !== 'object' || address?.port !== port) return;
    const chunks = keepBody(response);
    // Express changes `url` while it routes.
    const { method = 'GET', url: requested = '/' } = request;
    response.once('finish', () => {
      const headers = Object.fromEntries(
        Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
      );
      const body = Buffer.concat(chunks).toString('utf8');
      onAnswer({ method, url: requested, status: response.statusCode, headers, body });
    });
  };
  subscribe('http.server.request.start', onRequest);
  return () => void unsubscribe('http.server.request.start', onRequest);
}

type Write = (chunk?: unknown, ...rest: unknown[]) => unknown;

/** Keeps what is written to a response. */
function keepBody(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as Write;
    const observed: Write = (chunk, ...rest) => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return original(chunk, ...rest);
    };
    Object.assign(response, { [name]: observed });
  }
  return chunks;
}
