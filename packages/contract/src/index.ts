/** What merchants see: validation of requests, error codes, event types, API keys. */
export { errorCodes, errorSchema, type ErrorBody, type ErrorCode } from './error-codes.ts';
export { eventCatalogue, eventTypes } from './events/event-catalogue.ts';
export type { JsonSchema } from './json/json-schema.ts';
export { answerSchemas, type Answer, type AnswerName } from './answers/answer-schemas.ts';
export {
  deliveryStates,
  referralEnds,
  referralSources,
  reviewStates,
  rewardRoles,
  rewardStates,
  attemptErrors,
  type AttemptErrorClass,
  type DeliveryState,
  type ReferralEnd,
  type ReferralSource,
  type ReviewState,
  type RewardRole,
  type RewardState,
  type RewardType,
} from './answers/values.ts';
export { fieldsSchema } from './fields/fields-schema.ts';
export { itemFields, orderFields } from './orders/order.ts';
export { readLabel } from './orders/labels.ts';
export { requestLimits } from './orders/request-limits.ts';
export {
  adjustFields,
  grantFields,
  revokeFields,
  type AdjustRequest,
  type GrantRequest,
} from './rewards/correction-requests.ts';
export { bootFields, linkFields } from './members/member-requests.ts';
export { moveFields, type MoveRequest } from './members/move-request.ts';
export { buildTestEvent } from './events/test-event.ts';
export { describeDisabledReason, type DisabledReason } from './events/disabled-reason.ts';
export type {
  EndpointNoticeData,
  EndpointNoticeEvent,
  EventDataByType,
  EventOf,
  EventType,
  RewardEventData,
  RewardRevokeEventData,
  WebhookEvent,
} from './events/event.ts';
export type { Order, OrderItem } from './orders/order.ts';
export { validateOrders } from './orders/validate-orders.ts';
export { redactText, redactUrl } from './redact-url.ts';
export { mergeFields, type MergeMembersRequest } from './members/merge-request.ts';
export { readMemberSearch } from './members/member-search.ts';
export { foldMemberId } from './members/fold-member-id.ts';
export { isPlaceholderId } from './members/placeholder-id.ts';
export { escapeInvisible } from './fields/invisible.ts';
export { validateBoot, validateLink, type BootRequest, type LinkRequest } from './members/member-requests.ts';
export {
  describeApiKey,
  generateApiKey,
  hashApiKey,
  parseApiKey,
  type ApiKeyKind,
  type ParsedApiKey,
} from './identifiers/api-key.ts';
export { deriveId } from './identifiers/derived-id.ts';
export { eventMode, modeOf, newMerchantId, testIdPrefix, type Mode } from './identifiers/mode.ts';
export { newId, randomBase62 } from './identifiers/random-text.ts';
export { generateReferralCode, readReferralCode } from './identifiers/referral-code.ts';
export { isUuid } from './identifiers/uuid.ts';
export { csvLine, type CsvCell } from './csv-line.ts';
export { isTimeZone, timeZoneOrUtc } from './fields/time-zone.ts';
export { instantOf, parseDateTime, parseInstant } from './fields/date-time.ts';
export {
  describeFieldError,
  describeFieldWarnings,
  fieldError,
  type FieldError,
  type FieldErrorArguments,
  type FieldErrorCode,
  type FieldErrorParameters,
  type FieldErrors,
  type FieldWarnings,
} from './fields/field-errors.ts';
export { fieldErrorsOf } from './fields/joi-errors.ts';
export { dateTimeField, limitField, pageFields, textField, type PageQuery } from './fields/joi-fields.ts';
export { textProblem } from './fields/text.ts';
export { webhookNameLength } from './webhook-name.ts';
export { describeLimit, isLimit, type Limit, type LimitCode, type LimitParameters } from './limits.ts';
export { exceededLimit } from './json/nesting.ts';
export { readJson } from './json/read-json.ts';
export { describeDamagedArgument, describeEncoding } from './text-encoding.ts';
export { webhookHost } from './webhook-host.ts';
