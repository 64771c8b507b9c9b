// A shop with referral rewards: it boots members, sends orders, verifies webhooks and grants points once.
// README.md says how to run it. It keeps its points in files, and its sign-in is a name: yours has a database and passwords.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { link, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createClient, userHash } from '@rewardhook/node';
import { webhookReceiver } from '@rewardhook/verify';

const {
  REWARDHOOK_BASE_URL: apiUrl,
  REWARDHOOK_PAGE_URL: pageApiUrl = apiUrl,
  REWARDHOOK_SECRET_KEY: secretKey,
  REWARDHOOK_PUBLIC_KEY: publicKey,
  REWARDHOOK_IDENTITY_SECRET: identitySecret,
  REWARDHOOK_SIGNING_SECRET: signingSecret,
  SHOP_HOST: host = '127.0.0.1',
  SHOP_PORT: port = '4000',
  SHOP_FOLDER: folder = join(import.meta.dirname, 'points'),
} = process.env;

const rewardhook = createClient({ secretKey, apiUrl });
const browserSdk = readFileSync(new URL('rewardhook.js', import.meta.resolve('@rewardhook/browser-sdk')));
mkdirSync(folder, { recursive: true });

// Points. Each entry is a file that is named after the reward and the type of the event. A file cannot be created twice,
// and it holds the points, so the key and the grant are stored in one step. In a database: a table with a unique key.
const handled = {
  async once(key, work) {
    const path = join(folder, `${key.replaceAll(/\W/g, '_')}.json`);
    if (existsSync(path)) return false;
    const entry = {};
    await work(entry);
    const draft = `${path}.${randomUUID()}.draft`;
    await writeFile(draft, JSON.stringify(entry), { flush: true });
    try {
      await link(draft, path);
      return true;
    } catch (error) {
      if (error.code === 'EEXIST') return false; // another delivery of the event was faster
      throw error;
    } finally {
      await unlink(draft);
    }
  },
};

const pointsOf = (member) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter((entry) => entry.member === member)
    .reduce((sum, { points }) => sum + points, 0);

// Webhooks. Runs once for each reward and type of event; if it throws, the event is sent again.
const receiveWebhook = webhookReceiver({
  secrets: [signingSecret],
  handled,
  // With keys of the test side the points are not real, and are granted too. A shop for customers has keys of the live side.
  acceptTestSide: secretKey.startsWith('svc_sk_test_'),
  async onEvent({ type, data }, { transaction: entry }) {
    if (type !== 'reward.issue' && type !== 'reward.revoke') return;
    entry.member = data.member_id;
    // A revocation can arrive before its issue: adding and subtracting makes the order irrelevant.
    entry.points = type === 'reward.issue' ? data.reward.amount : -data.reward.amount;
    console.log(`${type}: ${entry.points} points for ${entry.member}`);
  },
});

// The order is paid at once. Always send the complete order, and send it again when its state changes.
async function sendOrder(member) {
  const now = new Date().toISOString();
  const item = {
    product_id: 'tea',
    product_name: 'Green tea',
    quantity: 1,
    price: 12000,
    paid_amount: 12000,
  };
  await rewardhook.orders.send([
    {
      order_id: `shop-${randomUUID()}`,
      member_id: member,
      order_amount: 15000,
      paid_amount: 15000,
      shipping_amount: 3000,
      order_date: now,
      paid_at: now,
      items: [item],
    },
  ]);
}

const page = (body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tea shop</title>
<link rel="icon" href="data:,">
<style>body { font: 16px/1.5 sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>Tea shop</h1>
${body}
<script src="/rewardhook.js"></script>
<script src="/shop.js"></script>`;

const welcome = `<form method="post" action="/sign-up">
  <label>Name <input name="name" pattern="[A-Za-z0-9]{1,40}" required></label>
  <button>Sign up</button>
</form>`;

// The hash proves to Rewardhook that this server knows the member. Only the page of the member who is signed in has it.
const account = (
  member,
) => `<p>Hello, <b>${member}</b>. You have <b id="points">${pointsOf(member)}</b> points.</p>
<p>Invite your friends: <a id="share"></a></p>
<form method="post" action="/orders"><button>Buy green tea for 12,000 won</button></form>
<form method="post" action="/sign-out"><button>Sign out</button></form>
<div id="member" data-id="${member}" data-hash="${userHash(member, identitySecret)}"></div>`;

// In the browser: `init` stores the code of a share link that was followed, `boot` links the member who is signed in.
const shopScript = `
Rewardhook.init({ publicKey: '${publicKey}', apiUrl: '${pageApiUrl}' });
const member = document.getElementById('member');
if (member) {
  Rewardhook.boot({ userId: member.dataset.id, userHash: member.dataset.hash }).then(
    (me) => {
      const share = document.getElementById('share');
      share.href = share.textContent = me.shareLink;
    },
    (error) => console.warn('Rewardhook:', error.code, error.message),
  );
  setInterval(async () => {
    document.getElementById('points').textContent = await (await fetch('/points')).text();
  }, 1000);
}`;

const memberOf = (request) =>
  /(?:^|; )member=([A-Za-z0-9]{1,40})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1];

async function formOf(request) {
  let text = '';
  for await (const chunk of request) if ((text += chunk).length > 1_000) return new URLSearchParams();
  return new URLSearchParams(text);
}

const server = createServer(async (request, response) => {
  const [pathname] = request.url.split('?');
  const member = memberOf(request);
  const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body);
  const goHome = (headers = {}) => response.writeHead(303, { location: '/', ...headers }).end();
  const cookie = (value) => ({ 'set-cookie': `member=${value}; Path=/; HttpOnly; SameSite=Lax` });
  try {
    switch (`${request.method} ${pathname}`) {
      case 'GET /':
        return send('text/html; charset=utf-8', page(member ? account(member) : welcome));
      case 'GET /rewardhook.js':
        return send('text/javascript', browserSdk);
      case 'GET /shop.js':
        return send('text/javascript', shopScript);
      case 'GET /points':
        return send('text/plain', String(member ? pointsOf(member) : 0));
      case 'POST /sign-up': {
        const name = (await formOf(request)).get('name') ?? '';
        return /^[A-Za-z0-9]{1,40}$/.test(name) ? goHome(cookie(name)) : goHome();
      }
      case 'POST /sign-out':
        return goHome(cookie('; Max-Age=0'));
      case 'POST /orders':
        if (member) await sendOrder(member);
        return goHome();
      case 'POST /webhooks':
        return await receiveWebhook(request, response);
      default:
        return response.writeHead(404).end('not found');
    }
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.writeHead(500).end('something went wrong');
  }
});
server.listen(Number(port), host, () => console.log(`The shop is at http://127.0.0.1:${port}/`));
