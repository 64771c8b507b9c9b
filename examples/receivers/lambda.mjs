import { webhookHandler } from '@rewardhook/verify/edge';
import { options } from './receiver-options.mjs';

const handle = webhookHandler(options);

export async function handler({ headers, body, isBase64Encoded }) {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const answer = await handle(new Request('https://lambda/', { method: 'POST', headers, body: bytes }));
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
}
