import { webhookReceiver } from '@rewardhook/verify';
import Koa from 'koa';
import { options } from './receiver-options.mjs';

const receive = webhookReceiver(options);
const app = new Koa();
app.use(async (context, next) => {
  if (context.method !== 'POST' || context.path !== '/webhooks') return next();
  context.respond = false; // the receiver answers
  await receive(context.req, context.res);
});
// Body parsers come after it.
app.listen(8080);
