import { callApi } from './call-api.ts';
import type { CallSettings, RetryOptions } from './call-api.ts';
import { readEvents, readFeedPage } from './event-feed.ts';
import type { FeedPage, FeedQuery, ReadOptions } from './event-feed.ts';
import type { EventType, FeedEvent } from './events.ts';
import { openList } from './lists.ts';
import type { List, PageOptions } from './lists.ts';
import type {
  Delivery,
  DeliveryDetails,
  LinkedReferral,
  LinkResult,
  Member,
  MemberListItem,
  MergedMember,
  MovedLink,
  OrderDetails,
  OrderExplanation,
  OrderListItem,
  Referral,
  Reward,
  SentTestEvent,
  Webhook,
} from './resources.ts';
import { openOrderSender } from './send-orders.ts';
import type { SendOrders } from './send-orders.ts';

/** How to reach the API. */
export interface ClientOptions {
  /** `svc_sk_…`, from the console. It belongs on a server only. Undefined, as a variable that is not set, is an error. */
  secretKey: string | undefined;
  /** The base URL of the API, such as `https://api.example.com`. Undefined is an error. */
  apiUrl: string | undefined;
  /** Maximum duration of an attempt. Default 30,000 ms. */
  timeoutMs?: number;
  retry?: RetryOptions;
  /** The size of a request with orders. Default: what the API accepts, 1,000 orders, 10,000 products and 2 MiB. */
  batch?: { maxOrders?: number; maxProducts?: number; maxBytes?: number };
}

/** Range of creation: `from` inclusive, `until` exclusive. Texts are ISO 8601 with an offset. */
export interface CreatedRange {
  from?: Date | string;
  until?: Date | string;
}

/** Options of a call. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** Who referred whom: the referrer is given by their member id or by their referral code. `dry_run` links nothing. */
export type LinkRequest = { referee_member_id: string; dry_run?: boolean } & (
  | { referrer_member_id: string; referral_code?: never }
  | { referral_code: string; referrer_member_id?: never }
);

/** The member `from_member_id` is merged into the other one. An unused `into_member_id` renames them. `dry_run` changes nothing. */
export interface MergeRequest {
  from_member_id: string;
  into_member_id: string;
  /** Why, for people. */
  reason: string;
  dry_run?: boolean;
}

/** A reward that a person gives. Default: points. */
export interface GrantRequest {
  role: Reward['role'];
  type?: Reward['type'];
  unit?: string;
  amount: number;
  /** Why, for people. */
  reason: string;
  /** Whether it may exceed a cap or the budget of the program. Default false. */
  exceed_limits?: boolean;
  /** Whether it may be given beside live rewards of the role for this order. Default false. */
  another?: boolean;
}

/** Another amount of a reward. */
export type AdjustRequest = Pick<GrantRequest, 'amount' | 'reason' | 'exceed_limits'>;

/** Another referrer of a referee, or the order that came from the referrer. `dry_run` moves nothing. */
export type MoveLinkRequest = {
  referee_member_id: string;
  /** Only orders from the date of this one on count, and the referee counts as new. */
  from_order_id?: string;
  /** Why, for people. */
  reason: string;
  dry_run?: boolean;
} & (
  | { referrer_member_id: string; referral_code?: never }
  | { referral_code: string; referrer_member_id?: never }
);

/** Options of a correction by a person. */
export interface CorrectionOptions extends CallOptions {
  /** Default: a new one for each call, which its retries share. Store your own before the call to be able to repeat it. */
  idempotencyKey?: string;
}

/** The API for a merchant's server. Field names are those of the API. Every call can throw a {@link RewardhookError}. */
export interface Client {
  orders: {
    /** Sends orders in requests of a size that the API accepts, and retries temporary failures. */
    send: SendOrders;
    get(orderId: string, options?: CallOptions): Promise<OrderDetails>;
    /** Newest stored first. */
    list(query?: { member_id?: string } & PageOptions): List<OrderListItem>;
    /** Why an order earned a reward or none. */
    explain(orderId: string, options?: CallOptions): Promise<OrderExplanation>;
  };
  members: {
    /** Links a referee to a referrer. A link that exists already is returned with a warning; one to another referrer is an error. */
    link(request: LinkRequest, options?: CallOptions): Promise<LinkResult>;
    /** Merges a member into another one, or renames them: the former id means the surviving member for good. */
    merge(request: MergeRequest, options?: CorrectionOptions): Promise<MergedMember>;
    /** A person moves the link of a referee to another referrer. Sent again with the same `idempotencyKey` it is moved once. */
    moveLink(request: MoveLinkRequest, options?: CorrectionOptions): Promise<MovedLink>;
    get(memberId: string, options?: CallOptions): Promise<Member>;
    /** By id. `search`: the beginning of an id in any case, a referral code, or the complete id or code of before a merge. */
    list(query?: { search?: string } & PageOptions): List<MemberListItem>;
  };
  rewards: {
    get(rewardId: string, options?: CallOptions): Promise<Reward>;
    /** Newest first. */
    list(
      query?: {
        member_id?: string;
        order_id?: string;
        referral_id?: string;
        state?: Reward['state'];
        role?: Reward['role'];
      } & CreatedRange &
        PageOptions,
    ): List<Reward>;
    /** A person gives a reward for an order. Sent again with the same `idempotencyKey` it is given once. */
    grant(orderId: string, request: GrantRequest, options?: CorrectionOptions): Promise<Reward>;
    /** A person gives a live reward another amount. A confirmed one is replaced: the result has another id. */
    adjust(rewardId: string, request: AdjustRequest, options?: CorrectionOptions): Promise<Reward>;
    /** A person takes a live reward back. */
    revoke(rewardId: string, request: { reason: string }, options?: CorrectionOptions): Promise<Reward>;
  };
  referrals: {
    get(referralId: string, options?: CallOptions): Promise<Referral>;
    /** Newest first. `member_id`: either member. */
    list(
      query?: { member_id?: string; review?: Referral['review']; flagged?: boolean } & PageOptions,
    ): List<Referral>;
  };
  events: {
    get(eventId: string, options?: CallOptions): Promise<FeedEvent>;
    /** One page of the event feed. */
    page(query?: FeedQuery & CallOptions): Promise<FeedPage>;
    /** Reads the event feed from a stored cursor. Returns the number of events. */
    read(options: ReadOptions): Promise<number>;
  };
  webhooks: {
    get(webhookId: string, options?: CallOptions): Promise<Webhook>;
    /** Oldest first. */
    list(query?: PageOptions): List<Webhook>;
    /** The deliveries to a webhook, newest first. */
    deliveries(
      webhookId: string,
      query?: { state?: Delivery['state']; event_type?: EventType } & CreatedRange & PageOptions,
    ): List<Delivery>;
    /**
     * Sends a sample of an event type to a webhook at once, marked as a test, and returns the outcome. A failed attempt is not
     * an error. Default type: `webhook.ping`.
     */
    sendTestEvent(
      webhookId: string,
      options?: { type?: EventType | undefined } & CallOptions,
    ): Promise<SentTestEvent>;
  };
  deliveries: {
    get(deliveryId: string, options?: CallOptions): Promise<DeliveryDetails>;
  };
}

/**
 * Creates a client. It holds no connection and needs no close.
 * @throws TypeError when the secret key or the URL is missing, often because a variable is not set, or cannot be one. The message
 * names it.
 */
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options);
  const { maxOrders = 1_000, maxProducts = 10_000, maxBytes = 2 * 1_048_576 } = options.batch ?? {};
  const get = async <Item>(path: string, { signal }: CallOptions = {}): Promise<Item> =>
    ((await callApi(settings, { method: 'GET', path: `/api/open${path}`, signal })) as { data: Item }).data;
  const list = <Item>(name: string, query = {}, path = `/${name}/`): List<Item> =>
    openList<Item>(settings, `/api/open${path}`, name, query);
  const correct = async <Result = Reward>(
    path: string,
    request: object,
    { idempotencyKey = crypto.randomUUID(), signal }: CorrectionOptions = {},
  ): Promise<Result> => {
    const headers = { 'idempotency-key': idempotencyKey };
    const call = {
      method: 'POST',
      path: `/api/open${path}`,
      body: JSON.stringify(request),
      headers,
      signal,
    } as const;
    return ((await callApi(settings, call)) as { data: Result }).data;
  };
  return {
    orders: {
      send: openOrderSender(settings, { maxOrders, maxProducts, maxBytes }),
      get: (id, call) => get(`/orders/${segment(id, 'orderId')}/`, call),
      list: (query) => list('orders', query),
      explain: (id, call) => get(`/orders/${segment(id, 'orderId')}/explain/`, call),
    },
    members: {
      async link(request, { signal } = {}) {
        const body = JSON.stringify(request);
        const call = { method: 'POST', path: '/api/open/members/link/', body, signal } as const;
        const { data, warnings = {} } = (await callApi(settings, call)) as {
          data: LinkedReferral;
          warnings?: Record<string, string>;
        };
        return { ...data, warnings };
      },
      merge: (request, call) => correct<MergedMember>('/members/merge/', request, call),
      moveLink: (request, call) => correct('/members/move-link/', request, call),
      get: (id, call) => get(`/members/${segment(id, 'memberId')}/`, call),
      list: (query) => list('members', query),
    },
    rewards: {
      get: (id, call) => get(`/rewards/${segment(id, 'rewardId')}/`, call),
      list: (query) => list('rewards', query),
      grant: (orderId, request, call) =>
        correct(`/orders/${segment(orderId, 'orderId')}/rewards/`, request, call),
      adjust: (id, request, call) => correct(`/rewards/${segment(id, 'rewardId')}/adjust/`, request, call),
      revoke: (id, request, call) => correct(`/rewards/${segment(id, 'rewardId')}/revoke/`, request, call),
    },
    referrals: {
      get: (id, call) => get(`/referrals/${segment(id, 'referralId')}/`, call),
      list: (query) => list('referrals', query),
    },
    events: {
      get: (id, call) => get(`/events/${segment(id, 'eventId')}/`, call),
      page: ({ signal, ...query } = {}) => readFeedPage(settings, query, signal),
      read: (given) => readEvents(settings, given),
    },
    webhooks: {
      get: (id, call) => get(`/webhooks/${segment(id, 'webhookId')}/`, call),
      list: (query) => list('webhooks', query),
      async sendTestEvent(id, { type, signal } = {}) {
        const path = `/api/open/webhooks/${segment(id, 'webhookId')}/test/`;
        const body = JSON.stringify({ type });
        // An attempt without an answer may have sent the event.
        const call = { method: 'POST', path, body, repeatable: false, signal } as const;
        return ((await callApi(settings, call)) as { data: SentTestEvent }).data;
      },
      deliveries: (id, query) =>
        list('deliveries', query, `/webhooks/${segment(id, 'webhookId')}/deliveries/`),
    },
    deliveries: { get: (id, call) => get(`/deliveries/${segment(id, 'deliveryId')}/`, call) },
  };
}

function readSettings({ secretKey, apiUrl, timeoutMs = 30_000, retry = {} }: ClientOptions): CallSettings {
  for (const [name, value] of Object.entries({ secretKey, apiUrl }))
    if (value === undefined || value === '')
      throw new TypeError(`${name} is missing: is its environment variable set?`);
  // With another character, such as a line break, fetch would refuse the header with an error that has the key.
  if (typeof secretKey !== 'string' || !/^svc_sk_\w+$/.test(secretKey))
    throw new TypeError(
      'secretKey must be a secret key: svc_sk_ and letters and digits, without spaces or line breaks',
    );
  if (typeof apiUrl !== 'string' || !/^https?:\/\//.test(apiUrl) || !URL.canParse(apiUrl))
    throw new TypeError('apiUrl must be the base URL of the API, such as https://api.example.com');
  const { attempts = 6, firstDelayMs = 500, maxDelayMs = 30_000, maxRetryAfterMs = 300_000 } = retry;
  const withoutSlash = apiUrl.endsWith('/') ? apiUrl.slice(0, -1) : apiUrl;
  return {
    apiUrl: withoutSlash,
    secretKey,
    timeoutMs,
    retry: { attempts, firstDelayMs, maxDelayMs, maxRetryAfterMs },
  };
}

/** An id as a segment of a path. An empty one, `.` and `..` would lead to other paths. */
function segment(id: string, name: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError(`${name} must be an id, not empty, "." or ".."`);
  return encodeURIComponent(id);
}
