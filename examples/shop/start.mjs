// Opens a merchant for the example in the Rewardhook that runs on this machine (`npm run demo` or `npm run stack`), and starts
// the shop with its keys. With your own keys in the environment, run shop.mjs instead.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { REWARDHOOK_BASE_URL = 'http://127.0.0.1:3000', SHOP_PORT = '4000' } = process.env;
const SHOP_FOLDER = process.env.SHOP_FOLDER ?? join(import.meta.dirname, 'points');
const shopUrl = `http://127.0.0.1:${SHOP_PORT}`;

// How the admin command line is called: in the image it is another program (compose.try.yml).
const { REWARDHOOK_ADMIN = 'npm run -s admin --' } = process.env;
const run = (...command) => execFileSync(command[0], command.slice(1), { cwd: root, encoding: 'utf8' });
const admin = (...words) => JSON.parse(run(...REWARDHOOK_ADMIN.split(' '), ...words));

// What `npm install` brings outside of this repository. The image has it.
if (existsSync(join(root, 'packages/browser-sdk/src'))) {
  for (const name of ['node', 'verify']) run('npx', 'tsc', '-b', `packages/${name}`);
  run('npm', 'run', '-s', 'build', '-w', '@rewardhook/browser-sdk');
}

const merchant = admin('merchant', 'create', '--name', 'Tea shop');
const { merchantId } = merchant;
admin(
  'merchant',
  'update',
  '--merchant',
  merchantId,
  '--landing-url',
  `${shopUrl}/`,
  '--allowed-origins',
  shopUrl,
);
admin(
  'webhook',
  'add',
  '--merchant',
  merchantId,
  '--url',
  `${shopUrl}/webhooks`,
  '--events',
  'reward.issue,reward.revoke',
);
rmSync(SHOP_FOLDER, { recursive: true, force: true });

const shop = spawn(process.execPath, [join(import.meta.dirname, 'shop.mjs')], {
  stdio: 'inherit',
  env: {
    ...process.env,
    REWARDHOOK_BASE_URL,
    REWARDHOOK_SECRET_KEY: merchant.secretKey,
    REWARDHOOK_PUBLIC_KEY: merchant.publicKey,
    REWARDHOOK_IDENTITY_SECRET: merchant.identitySecret,
    REWARDHOOK_SIGNING_SECRET: merchant.signingSecret,
    SHOP_PORT,
    SHOP_FOLDER,
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => shop.kill(signal));
shop.on('exit', (code) => process.exit(code ?? 0));
