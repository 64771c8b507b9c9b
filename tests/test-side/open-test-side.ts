import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

/** Opens the test side of a merchant, with a secret key, as a merchant of its own. */
export async function openTestSide(flow: Flow, live: Pick<Merchant, 'id'>): Promise<Merchant> {
  const of = { merchant: live.id };
  const created = await flow.admin('key create --test', { ...of, kind: 'secret' });
  const shown = await flow.admin('merchant show --test', of);
  const { keys } = (await flow.admin('key list --test', of)) as { keys: { publicValue: string | null }[] };
  const { signingKeys } = (await flow.admin('signing-key show --test', of)) as {
    signingKeys: { signingSecret: string }[];
  };
  const { identitySecret } = await flow.admin('merchant identity-secret --test', of);
  return {
    id: (shown['merchant'] as { id: string }).id,
    secretKey: String(created['key']),
    publicKey: String(keys.find(({ publicValue }) => publicValue !== null)?.publicValue),
    signingSecret: signingKeys[0]!.signingSecret,
    identitySecret: String(identitySecret),
  };
}
