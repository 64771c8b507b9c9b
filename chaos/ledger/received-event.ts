import type { ReceivedEntry } from './entries.ts';

/** What the checks read of the event in a webhook. */
export interface ReceivedEvent {
  id: string;
  type: string;
  created_at: string;
  data: {
    /** In a notice: the webhook that it is about. */
    endpoint?: { id: string };
  };
}

/** The bytes of a webhook, as they arrived. */
export const bytesOf = ({ body }: Pick<ReceivedEntry, 'body'>): Buffer => Buffer.from(body, 'base64');

/** The event in a webhook. */
export const eventOf = (received: Pick<ReceivedEntry, 'body'>): ReceivedEvent =>
  JSON.parse(bytesOf(received).toString()) as ReceivedEvent;
