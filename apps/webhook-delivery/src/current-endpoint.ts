import type { Sealer, SendableEndpoint } from '@rewardhook/database';
import type { SigningSecrets } from '@rewardhook/webhook';
import { signingSecrets } from './attempt-delivery.ts';

/** What was read of an endpoint counts for so long, in milliseconds; it is read again in the background before that. */
export const validForMs = 1_000;
const readAgainAfterMs = 600;

/** An endpoint as it is now, with the secrets to sign with. */
export interface Current {
  endpoint: SendableEndpoint;
  signing: SigningSecrets | undefined;
}

/** Keeps what is known of an endpoint up to date while it is served. */
export interface CurrentEndpoint {
  /**
   * What was read within the last second, so that a pause, a deletion, another URL and a change of signing keys count for
   * every request begun a second after them. Undefined when nothing may be sent to it any more, or only to another URL.
   */
  get(): Promise<Current | undefined>;
}

/** `first` was read at `readAt` (`performance.now()` before the statement); `find` reads it again. */
export function keepCurrent(options: {
  first: SendableEndpoint;
  readAt: number;
  sealer: Sealer;
  find(): Promise<SendableEndpoint | undefined>;
}): CurrentEndpoint {
  const { first, sealer, find } = options;
  let readAt = options.readAt;
  let current: Current | undefined = { endpoint: first, signing: signingSecrets(first, sealer) };
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const endpoint = await find();
    readAt = startedAt;
    if (endpoint?.url !== first.url) current = undefined;
    else if (current) current = { endpoint, signing: signingOf(endpoint, current) };
  }
  // Secrets are opened only when they are others.
  function signingOf(endpoint: SendableEndpoint, known: Current): SigningSecrets | undefined {
    const same = JSON.stringify(endpoint.signingKeys) === JSON.stringify(known.endpoint.signingKeys);
    return same ? known.signing : signingSecrets(endpoint, sealer);
  }
  return {
    async get() {
      const age = performance.now() - readAt;
      if (current && age >= readAgainAfterMs) {
        reading ??= read().finally(() => (reading = undefined));
        if (age >= validForMs) await reading;
        // What fails in the background fails here once nothing newer is known.
        else reading.catch(() => undefined);
      }
      return current;
    },
  };
}
