import { webhookHandler } from '@rewardhook/verify/edge';
import { options } from './receiver-options.mjs';

const handle = webhookHandler(options);

if ('Bun' in globalThis) Bun.serve({ port: 8080, fetch: handle });
else Deno.serve({ port: 8080 }, handle);
