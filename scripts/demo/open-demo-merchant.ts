import { createHmac } from 'node:crypto';
import { addWebhook, createMerchant, startReceiver } from '@rewardhook/local-stack';
import type { Admin, Receiver, Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';

/** The demo's merchant, with the receiver of its two webhook URLs. */
export interface DemoMerchant {
  merchantId: string;
  secretKey: string;
  signingSecret: string;
  referrer: string;
  referee: string;
  receiver: Receiver;
  webhookUrls: string[];
}

/** The receiver responds with 500 on this path. */
export const brokenPath = '/broken';

/** Creates a merchant with two webhook URLs by admin commands, and a referral by the boot endpoint, and prints both. */
export async function openDemoMerchant(
  admin: Admin,
  stack: Stack,
  print: (line: string) => void,
): Promise<DemoMerchant> {
  const shown = showCommands(admin, print);
  const { merchantId, secretKey, publicKey, signingSecret, identitySecret } = await createMerchant(
    shown,
    'Demo shop',
  );
  const receiver = await openReceiver(signingSecret);
  const webhookUrls = ['/loyalty', '/crm'].map((path) => `${receiver.url}${path}`);
  for (const url of webhookUrls) await addWebhook(shown, merchantId, url);
  const [referrer, referee] = ['jisu', 'minsu'];
  // The merchant's server computes the hash for the signed-in member, and the browser SDK sends it.
  const boot = (userId: string, code?: string) => {
    const hash = createHmac('sha256', identitySecret).update(userId, 'utf8').digest('hex');
    return bootMember(stack, publicKey, { user_id: userId, user_hash: hash, referral_code: code });
  };
  print(
    '  boot of each member, with user_hash = hex(HMAC-SHA256(identity secret, user id)) from the merchant’s server:',
  );
  const own = await boot(referrer);
  print(`    ${referrer}: referral_code ${own.referral_code}`);
  const linked = await boot(referee, own.referral_code);
  print(`    ${referee} with that code: ${linked.link}`);
  if (linked.link !== 'linked') throw new Error(`${referee} was not linked: ${linked.link}`);
  return { merchantId, secretKey, signingSecret, referrer, referee, receiver, webhookUrls };
}

/** Starts the receiver of the merchant's webhooks; port 0 takes any free one. */
export function openReceiver(signingSecret: string, port = 0): Promise<Receiver> {
  return startReceiver({
    signingSecret,
    port,
    respond: ({ path }) => (path === brokenPath ? 500 : 204),
  });
}

async function bootMember(
  stack: Stack,
  publicKey: string,
  body: { user_id: string; user_hash: string; referral_code: string | undefined },
): Promise<{ referral_code: string; link: string }> {
  const url = `${stack.apiUrl}/api/open/members/boot/`;
  const headers = { 'x-service-key': publicKey };
  const response = await callPatiently(stack, 'the API to boot a member', url, { headers, body });
  if (!response.ok) throw new Error(`boot answered ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { referral_code: string; link: string } };
  return data;
}

/** Prints each command, as a person would type it, before it runs. */
function showCommands(admin: Admin, print: (line: string) => void): Admin {
  return (...words) => {
    const typed = words.map((word) => (/^[\w:/.,-]+$/.test(word) ? word : `"${word}"`));
    print(`  $ npm run -s admin -- ${typed.join(' ')}`);
    return admin(...words);
  };
}
