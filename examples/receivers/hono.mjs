import { serve } from '@hono/node-server';
import { webhookHandler } from '@rewardhook/verify/edge';
import { Hono } from 'hono';
import { options } from './receiver-options.mjs';

const handle = webhookHandler(options);
const app = new Hono().post('/webhooks', (context) => handle(context.req.raw));
serve({ fetch: app.fetch, port: 8080 });
