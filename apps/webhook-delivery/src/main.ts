import { runProcess } from '@rewardhook/process';
import { readDeliverySettings } from './environment.ts';
import { startWebhookDelivery } from './start.ts';

await runProcess('webhook-delivery', readDeliverySettings, startWebhookDelivery);
