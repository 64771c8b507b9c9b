import { signingKeyContext } from '@rewardhook/database/stages';
import type { Sealer, SendableEndpoint } from '@rewardhook/database/stages';
import { chooseSigningSecrets } from '@rewardhook/webhook';
import type { SigningSecrets } from '@rewardhook/webhook';

/** An endpoint is used for this long after it was read. Before that it is refreshed in the background. */
const maxAgeMs = 1_000;
const refreshAfterMs = 600;

/** An endpoint with the opened secrets to sign with. */
export interface CurrentEndpoint {
  endpoint: SendableEndpoint;
  signing: SigningSecrets | undefined;
}

/** The endpoint of a dispatch, read again while the dispatch runs. */
export interface EndpointCache {
  /** The endpoint as the dispatch found it. */
  endpoint: SendableEndpoint;
  /**
   * Returns the endpoint as of at most a second ago, so that a pause, a deletion, another URL and a change of signing keys
   * take effect for every request started a second later. Undefined when nothing may be sent to it any more, or when it
   * has another URL.
   */
  get(): Promise<CurrentEndpoint | undefined>;
}

/** Reads an endpoint with `find`, and again as needed. Returns undefined when nothing may be sent to it. */
export async function cacheEndpoint(
  find: () => Promise<SendableEndpoint | undefined>,
  sealer: Sealer,
): Promise<EndpointCache | undefined> {
  let readAt = performance.now();
  const first = await find();
  if (!first) return undefined;
  const { url } = first;
  let current: CurrentEndpoint | undefined = { endpoint: first, signing: decryptSecrets(first, sealer) };
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const startedAt = performance.now();
    const endpoint = await find();
    readAt = startedAt;
    if (endpoint?.url !== url) current = undefined;
    else if (current) current = { endpoint, signing: secretsOf(endpoint, current) };
  }

  /** Decrypts the secrets only when they have changed. */
  function secretsOf(endpoint: SendableEndpoint, known: CurrentEndpoint): SigningSecrets | undefined {
    const unchanged = JSON.stringify(endpoint.signingKeys) === JSON.stringify(known.endpoint.signingKeys);
    return unchanged ? known.signing : decryptSecrets(endpoint, sealer);
  }

  return {
    endpoint: first,
    async get() {
      const ageMs = performance.now() - readAt;
      if (current && ageMs >= refreshAfterMs) {
        refreshing ??= refresh().finally(() => (refreshing = undefined));
        if (ageMs >= maxAgeMs) await refreshing;
        // An error in the background surfaces here once the endpoint is too old to be used.
        else refreshing.catch(() => undefined);
      }
      return current;
    },
  };
}

/** The secrets that sign the deliveries of an endpoint; undefined when its merchant has no promoted key. */
function decryptSecrets(endpoint: SendableEndpoint, sealer: Sealer): SigningSecrets | undefined {
  return chooseSigningSecrets(
    endpoint.signingKeys.map(({ id, secret, promoted }) => ({
      secret: sealer.open(secret, signingKeyContext(endpoint.merchantId, id)),
      promoted,
    })),
  );
}
