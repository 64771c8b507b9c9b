import { startReceiver } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { asTyped } from './admin-command.ts';
import type { AdminCommand } from './admin-command.ts';

/** The demo's merchant, with the receiver that its two webhook URLs lead to. */
export interface Shop {
  merchantId: string;
  secretKey: string;
  signingSecret: string;
  referrer: string;
  referee: string;
  receiver: Receiver;
  webhookUrls: string[];
}

/** What is posted there is answered with 500. */
export const brokenPath = '/broken';

/** Makes a merchant with a referral and two webhook URLs by the operator's commands, and shows them. */
export async function openShop(admin: AdminCommand, say: (line: string) => void): Promise<Shop> {
  const run = <T>(...words: string[]) => {
    say(`  ${asTyped(words)}`);
    return admin<T>(...words);
  };
  const { merchantId, secretKey, signingSecret } = await run<{
    merchantId: string;
    secretKey: string;
    signingSecret: string;
  }>('merchant', 'create', '--name', 'Demo shop');
  const receiver = await openReceiver(signingSecret);
  const webhookUrls = ['/loyalty', '/crm'].map((path) => `${receiver.url}${path}`);
  for (const url of webhookUrls) {
    const events = 'reward.issue,reward.revoke';
    await run('webhook', 'add', '--merchant', merchantId, '--url', url, '--events', events);
  }
  const [referrer, referee] = ['jisu', 'minsu'];
  await run('member', 'link', '--merchant', merchantId, '--referrer', referrer, '--referee', referee);
  return { merchantId, secretKey, signingSecret, referrer, referee, receiver, webhookUrls };
}

/** Starts the receiver of the shop's webhooks; port 0 takes any free one. */
export function openReceiver(signingSecret: string, port = 0): Promise<Receiver> {
  return startReceiver({
    signingSecret,
    port,
    respond: ({ path }) => (path === brokenPath ? 500 : 204),
  });
}
