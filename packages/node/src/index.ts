/** The client of the Rewardhook API for merchants' servers. */
export { createClient } from './client.ts';
export type {
  AdjustRequest,
  CallOptions,
  Client,
  ClientOptions,
  CorrectionOptions,
  CreatedRange,
  GrantRequest,
  LinkRequest,
  MergeRequest,
  MoveLinkRequest,
} from './client.ts';
export type { RetryOptions } from './call-api.ts';
export { cursorFile } from './cursor-file.ts';
export type { CursorStore, FeedPage, FeedQuery, ReadOptions } from './event-feed.ts';
export type {
  EndpointNoticeData,
  EventOf,
  EventType,
  FeedEvent,
  RewardEventData,
  RewardRevokeEventData,
} from './events.ts';
export type { List, Page, PageOptions } from './lists.ts';
export type { InvalidOrder, OrderInput, OrderItemInput, SentOrders } from './orders.ts';
export type {
  Attempt,
  DecisionSummary,
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
  OrderRewards,
  Referral,
  Reward,
  SentTestEvent,
  StoredOrder,
  Webhook,
} from './resources.ts';
export { RewardhookError } from './rewardhook-error.ts';
export type { ApiErrorCode, ErrorDetails, RewardhookErrorCode } from './rewardhook-error.ts';
export type { SendOptions, SendOrders } from './send-orders.ts';
export { userHash } from './user-hash.ts';
