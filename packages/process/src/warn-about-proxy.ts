import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Express middleware: warns once when a request comes through a proxy although the process trusts none. All clients
 * behind the proxy then count as one address and share its limits. `setting` is the variable that says how many proxies
 * are in front.
 */
export function warnAboutProxy(
  { trustedProxies, setting }: { trustedProxies: number; setting: string },
  log: { warn(message: string): unknown },
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  let warned = trustedProxies > 0;
  return (request, _response, next) => {
    if (!warned && request.headers['x-forwarded-for'] !== undefined) {
      warned = true;
      log.warn(`requests come through a proxy that is not trusted: set ${setting}`);
    }
    next();
  };
}
