import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.REWARDHOOK_SIGNING_SECRET;
const seen = new Set(); // keep the ids in your database

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // the raw bytes, never JSON written again

  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(request.headers['x-service-signature'] ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    response.writeHead(400).end('wrong signature');
    return;
  }

  const delivery = request.headers['x-service-delivery'];
  if (!seen.has(delivery)) {
    const event = JSON.parse(body.toString('utf8'));
    if (event.type === 'reward.issue') {
      const { reward, member_id } = event.data;
      console.log(`grant ${reward.amount} ${reward.unit} to ${member_id}`);
    }
    seen.add(delivery);
  }
  response.writeHead(200).end('ok');
}).listen(3000);
