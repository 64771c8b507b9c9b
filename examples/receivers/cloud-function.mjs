import { http } from '@google-cloud/functions-framework';
import { webhookReceiver } from '@rewardhook/verify';
import { options } from './receiver-options.mjs';

http('webhooks', webhookReceiver(options));
