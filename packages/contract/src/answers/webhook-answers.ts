import {
  arraySchema,
  flagSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  schemaOf,
  textSchema,
  timeSchema,
  urlSchema,
} from '../json/json-schema.ts';
import { eventTypes } from '../events/event-catalogue.ts';
import type { EventType } from '../events/event.ts';
import { uuid } from './shared-fields.ts';
import { deliveryStates, webhookStatuses, attemptErrors } from './values.ts';

const attempt = objectSchema({
  number: integerSchema('From 1.', 1),
  started_at: timeSchema('When the request was sent.'),
  url: urlSchema('Where it was sent to.'),
  status: nullable(integerSchema('The HTTP status; null without a response.')),
  error: nullable(optionSchema(attemptErrors, 'Why there was no response; null if there was one.')),
  error_message: nullable(textSchema('The error in words.')),
  duration_ms: nullable(
    schemaOf<number>({ type: 'number', description: 'Until the end of the response, in milliseconds.' }),
  ),
  response_body: nullable(textSchema('The beginning of the response, at most 16 KiB.')),
  warning: nullable(
    textSchema(
      'What was wrong with the response after its status, such as an incomplete body; null if nothing was.',
    ),
  ),
  retried_on_new_connection: flagSchema(
    'Whether a reused connection broke before a response began, so that the request was sent once more.',
  ),
  ignored: flagSchema(
    'Whether the response was a 2xx with `"ignored": true`: your server does not handle the event type.',
  ),
});

const delivery = {
  id: uuid('`X-Service-Delivery` of its requests.'),
  state: optionSchema(deliveryStates, 'State of the delivery.'),
  event_id: textSchema('The event.'),
  event_type: textSchema<EventType>('Type of the event.'),
  webhook_id: textSchema('The webhook.'),
  url: urlSchema('The URL of the webhook today.'),
  order_id: nullable(textSchema('Order of the reward; null for other events.')),
  member_id: nullable(textSchema('Member of the reward; null for other events.')),
  attempts_made: integerSchema('Attempts until now.'),
  last_status: nullable(integerSchema('HTTP status of the last attempt.')),
  last_error: nullable(optionSchema(attemptErrors, 'Why the last attempt had no response.')),
  last_attempt_at: nullable(timeSchema('When it was sent last.')),
  created_at: timeSchema('When it was created.'),
  next_attempt_at: nullable(timeSchema('The earliest time of the next attempt.')),
  finished_at: nullable(timeSchema('When it was delivered, exhausted or cancelled.')),
  replay_id: nullable(textSchema('The replay that created it.')),
};

/** What can be read of webhooks and deliveries, and what a test event results in. */
export const webhookAnswers = {
  Webhook: objectSchema({
    id: textSchema('The webhook, `whk_…`.'),
    name: nullable(textSchema('What you call it; null without a name.')),
    url: urlSchema('Where its deliveries are sent to.'),
    event_types: arraySchema({
      items: schemaOf<string>({ type: 'string' }),
      description: 'The types that it receives.',
    }),
    created_at: timeSchema('When it was registered.'),
    status: optionSchema(webhookStatuses, 'State of the webhook.'),
    disabled_at: nullable(timeSchema('When it was disabled.')),
    // Both fields are always there; the document does not say so.
    disabled_reason: schemaOf<{ code: string; parameters: Record<string, unknown> } | null>({
      type: ['object', 'null'],
      description: 'Why it was disabled.',
      properties: {
        code: textSchema('The reason.'),
        parameters: { type: 'object', description: 'What the reason is about.', additionalProperties: true },
      },
    }),
    paused_at: nullable(timeSchema('When it was paused.')),
    retry_hours: nullable(
      integerSchema('Hours over which a delivery is retried; null: the usual 75 hours.', 1),
    ),
    failing_since: nullable(timeSchema('Since when every attempt has failed.')),
    failures_in_a_row: integerSchema('Attempts that failed since then.'),
  }),
  DeliveryListItem: objectSchema(delivery),
  Delivery: objectSchema({
    ...delivery,
    attempts: arraySchema({ items: attempt, description: 'Oldest first.' }),
  }),
  TestResult: objectSchema({
    delivery_id: uuid('`X-Service-Delivery` of the request.'),
    event_id: textSchema('`id` of the event.'),
    event_type: optionSchema(eventTypes, 'Type of the event.'),
    delivered: flagSchema('Whether your server answered with a 2xx.'),
    attempt,
  }),
};
