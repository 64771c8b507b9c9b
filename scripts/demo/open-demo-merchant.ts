import { createHmac } from 'node:crypto';
import { addWebhook, createMerchant, startReceiver, waitFor } from '@rewardhook/local-stack';
import type { Admin, Receiver } from '@rewardhook/local-stack';

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
  apiUrl: string,
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
    return bootMember(apiUrl, publicKey, { user_id: userId, user_hash: hash, referral_code: code });
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
  apiUrl: string,
  publicKey: string,
  body: { user_id: string; user_hash: string; referral_code: string | undefined },
): Promise<{ referral_code: string; link: string }> {
  const boot = () =>
    fetch(`${apiUrl}/api/open/members/boot/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': publicKey },
      body: JSON.stringify(body),
    });
  // With `npm run dev` the API may restart at any moment. A repeated boot changes nothing.
  const response = await waitFor(boot, { deadlineMs: 30_000, what: 'the API to boot a member' });
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
