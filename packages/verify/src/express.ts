/** For Express: `app.post('/webhooks', webhookReceiver({ … }))`, before `express.json()`. */
export { webhookReceiver } from './webhook-receiver.ts';
export type { NodeReceiver, ReceiverRequest, ReceiverResponse } from './node-receiver.ts';
export type {
  EventContext,
  EventHandlers,
  OnEvent,
  ReceiverCode,
  WebhookReceiverOptions,
} from './receiver.ts';
