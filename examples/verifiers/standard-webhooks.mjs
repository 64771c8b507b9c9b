import { Webhook } from 'standardwebhooks';

/** Returns the event; throws when the request is not verified. `body`: the raw bytes as text. */
export function readEvent(body, headers, secret) {
  return new Webhook(secret).verify(body, headers);
}
