import type { ApiClient } from './call-api.ts';
import type { ObservedEvent } from './observe-shop.ts';

/** What a reader of the event feed got, from the oldest event on, as the ledger has it. */
export interface ObservedReading {
  reader: string;
  /** Every event in its order. */
  events: { id: string; type: string; reward: string }[];
  /** When its last page was requested. Everything that was created before must be there. */
  until: number;
  /** Answers that were no page. */
  refused: string[];
}

/** A reader that continues from `next`, as docs/api.md tells merchants. */
export interface FeedReader extends Pick<ObservedReading, 'reader' | 'events' | 'refused'> {
  /** Reads the next page. Resolves with whether there is more. */
  readPage(): Promise<boolean>;
  /** Reads on until there is no more. */
  readToEnd(): Promise<void>;
}

/** Opens a reader at the oldest event, with the number of events of its pages. */
export function openFeedReader(client: Pick<ApiClient, 'repeat'>, reader: string, limit: number): FeedReader {
  const events: FeedReader['events'] = [];
  const refused: string[] = [];
  let after = '';
  const readPage = async (): Promise<boolean> => {
    const path = `/api/open/events/?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`;
    const { outcome, body } = await client.repeat({ call: 'read', path });
    if (outcome !== 'ok') {
      refused.push(JSON.stringify(body));
      return false;
    }
    const { data } = body as { data: { events: ObservedEvent[]; next: string; has_more: boolean } };
    events.push(...data.events.map(({ id, type, data: { reward } }) => ({ id, type, reward: reward.id })));
    after = data.next;
    return data.has_more;
  };
  return {
    reader,
    events,
    refused,
    readPage,
    async readToEnd() {
      while (await readPage());
    },
  };
}
