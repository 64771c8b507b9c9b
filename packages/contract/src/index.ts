export { errorCodes, type ErrorBody, type ErrorCode } from './error-codes.ts';
export { eventTypes, type EventType } from './events/event-types.ts';
export type {
  EndpointNoticeData,
  EndpointNoticeEvent,
  RewardEventData,
  RewardIssueEvent,
  RewardRevokeEvent,
  WebhookEvent,
  WebhookPingEvent,
} from './events/event.ts';
export type { Order, OrderItem } from './orders/order.ts';
export {
  validateSyncRequest,
  type SyncRequestLimits,
  type SyncRequestValidation,
} from './orders/validate-sync-request.ts';
export { foldMemberId } from './members/fold-member-id.ts';
export { validateBoot, type BootRequest } from './members/validate-boot.ts';
export { validateLink, type LinkRequest } from './members/validate-link.ts';
export type { ValidationResult } from './members/validate-fields.ts';
export {
  describeApiKey,
  generateApiKey,
  hashApiKey,
  parseApiKey,
  type ApiKeyKind,
  type ParsedApiKey,
} from './api-keys/api-key.ts';
export { newId } from './api-keys/new-id.ts';
export { randomBase62 } from './api-keys/random-text.ts';
export { generateReferralCode } from './api-keys/referral-code.ts';
export { csvLine, type CsvCell } from './csv-line.ts';
export { isTimeZone, timeZoneOrUtc } from './fields/is-time-zone.ts';
export { parseDateTime } from './fields/parse-date-time.ts';
export {
  describeFieldError,
  describeFieldErrors,
  fieldError,
  type FieldError,
  type FieldErrorCode,
  type FieldErrorParameters,
  type FieldErrors,
} from './fields/field-errors.ts';
export { fieldErrorsOf } from './fields/joi-errors.ts';
export { textProblem } from './fields/text.ts';
export { describeLimit, type Limit, type LimitCode, type LimitParameters } from './limits.ts';
export { jsonNestsDeeperThan } from './json-nesting.ts';
export { readJson, type JsonReading } from './read-json.ts';
export { webhookHost } from './webhook-host.ts';
