/** Every code of a field error, with the parameters that its text needs. */
export interface FieldErrorParameters {
  required: object;
  null_not_allowed: object;
  /** Null for a field with a default; `instead` is what the default means. */
  null_for_default: { instead: string };
  not_an_object: object;
  not_an_array: object;
  not_a_string: object;
  not_a_boolean: object;
  not_a_number: object;
  not_an_integer: object;
  not_a_date_time: object;
  /** Not one of the values that the field can have. */
  not_an_option: { options: string };
  unknown_field: object;
  /** An unknown field whose name is similar to that of a known one. */
  misspelled_field: { field: string };
  /** Of a query. `known` lists the parameters that it can have; empty when there are none. */
  unknown_parameter: { known: string };
  /** More unknown fields than are listed. */
  more_unknown_fields: { limit: number };
  empty: object;
  /** In characters (code points). */
  too_short: { limit: number };
  too_long: { limit: number };
  too_small: { limit: number };
  too_large: { limit: number };
  /** An amount above the merchant's limit of rewards by hand. */
  above_manual_limit: { limit: number };
  /** The same, of a reward that has more than this limit: above what it has. */
  above_own_amount: { limit: number };
  not_greater: { limit: number };
  too_many_decimals: { limit: number };
  too_few_items: { limit: number };
  too_many_items: { limit: number };
  duplicate_item: object;
  /** An id of a rule. */
  not_a_rule_id: object;
  /** Any value but null, of a field that is not supported yet. */
  not_supported_yet: object;
  /** In bytes of JSON. */
  too_many_bytes: { limit: number };
  /** In all lists of a version of a program. */
  too_many_list_values: { limit: number };
  no_orders: object;
  too_many_orders: { limit: number };
  /** In all orders of a request. */
  too_many_products: { limit: number };
  /** In one order. */
  too_many_products_of_order: { limit: number };
  nested_too_deep: { limit: number };
  too_many_values: { limit: number };
  /** More fields are wrong than are named. */
  more_errors: { limit: number };
  nul: object;
  lone_surrogate: object;
  not_hexadecimal: { limit: number };
  /** `user_hash` is not that of the value of `field`. */
  hash_of_another_id: { field: string };
  not_an_email: object;
  not_a_time_zone: object;
  /** An empty currency. */
  unknown_currency: object;
  /** A name of won that is not its code. */
  read_as_won: object;
  /** A currency that is no code. */
  no_reward_currency: object;
  /** Outer blanks and invisible characters, which `text` has as escapes. */
  invisible_characters: { text: string };
  unreadable_time: object;
  /** `updated_at` without an offset. */
  time_without_offset: object;
  /** A date-time that means "never set", in an optional field. */
  never_set: object;
  older_in_request: object;
  /** A member id that stands in the place of one. */
  placeholder_id: object;
  /** The same in an order, which is accepted. */
  placeholder_member: object;
  /** Of an id that nobody has yet. */
  unseen_characters: object;
  /** By a day. */
  long_before: { field: string };
  /** By a day. */
  far_ahead: object;
  /** `updated_at` is before another date of its state. */
  before_other_date: { field: string };
  /** A link that was requested and exists. */
  linked_before: object;
  date_time_format: object;
  date_time_date_only: object;
  date_time_blank: object;
  date_time_not_calendar: object;
  date_time_end_of_day: object;
  date_time_nonexistent: object;
  date_time_year: object;
  date_time_offset_range: object;
  date_time_offset_missing: object;
  date_time_never_set: object;
  /** Of two fields that begin and end a range. */
  not_after: { field: string };
  /** None of the fields is given. */
  one_field_required: { fields: string };
  /** Neither this field nor the other is given. */
  required_unless: { field: string };
  /** Both this field and the other are given. */
  not_together_with: { field: string };

  not_json_content: object;
  not_utf8: object;
  /** `position` counts characters from 1. */
  json_syntax: { position: number };
  json_unexpected_character: { character: string };
  json_incomplete: object;
  json_invalid: object;
  unreadable: object;
  cursor: object;

  url_invalid: object;
  url_not_https: object;
  url_too_long: { limit: number };
  url_characters: object;
  url_credentials: object;
  url_fragment: object;
  url_private_address: object;
  url_private_host: object;
  url_short_host: object;
  url_invalid_host: object;
  url_port: { port: string };
  origin_wildcard: object;
  origin_path: { origin: string };
  origin_unverified: { origin: string };
  origin_proof_unreachable: { path: string; problem: string };
  origin_proof_status: { path: string; status: number };
  origin_proof_content: { path: string };
  origin_proof_missing: { path: string; line: string };

  password_own_words: object;
  password_repetitive: object;
  password_guessable: object;
  already_in_team: object;
  email_not_mailable: object;
  program_version_unknown: object;
  not_a_day: object;
  /** Of two days that begin and end a range, which can be the same. */
  not_before: { field: string };
  too_many_days: { limit: number };
  too_many_header_lines: { lines: number; characters: number };

  /** Any other violation of a rule. */
  invalid: object;
}

/** The code of a field error. */
export type FieldErrorCode = keyof FieldErrorParameters;

/** What is wrong with one field. The text is written where it is displayed. */
export type FieldError = {
  [Code in FieldErrorCode]: { code: Code; parameters: FieldErrorParameters[Code] };
}[FieldErrorCode];

/** The path of each bad field, and what is wrong with it. */
export type FieldErrors = Record<string, FieldError>;

/** The path of each field that a response warns of, and why. */
export type FieldWarnings = Record<string, FieldError[]>;

/** The English texts, which continue a sentence that begins with the name of the field. */
const texts: { [Code in FieldErrorCode]: (parameters: FieldErrorParameters[Code]) => string } = {
  required: () => 'is required',
  null_not_allowed: () => 'must not be null',
  null_for_default: ({ instead }) => `must not be null: leave the field out, or send ${instead}`,
  not_an_object: () => 'must be a JSON object',
  not_an_array: () => 'must be an array',
  not_a_string: () => 'must be a string',
  not_a_boolean: () => 'must be true or false',
  not_a_number: () => 'must be a number',
  not_an_integer: () => 'must be an integer',
  not_a_date_time: () => 'must be a date-time',
  not_an_option: ({ options }) => `must be one of ${options}`,
  unknown_field: () => 'is not a known field',
  misspelled_field: ({ field }) => `is not a known field: did you mean ${field}?`,
  unknown_parameter: ({ known }) =>
    `is not a parameter here; ${known === '' ? 'there are none' : `the parameters are ${known}`}`,
  more_unknown_fields: ({ limit }) => `has more unknown fields than the ${limit} listed here`,
  empty: () => 'must not be empty',
  too_short: ({ limit }) => `must be at least ${limit} characters`,
  too_long: ({ limit }) => `must be at most ${limit} characters`,
  too_small: ({ limit }) => `must be ${limit} or more`,
  too_large: ({ limit }) => `must be ${limit} or less`,
  above_manual_limit: ({ limit }) =>
    `must be ${limit.toLocaleString('en')} or less, the limit of the shop for rewards by hand`,
  above_own_amount: ({ limit }) => `must be ${limit.toLocaleString('en')} or less, what the reward has`,
  not_greater: ({ limit }) => `must be greater than ${limit}`,
  too_many_decimals: ({ limit }) => `must have at most ${limit} decimal places`,
  too_few_items: ({ limit }) => `must contain at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  too_many_items: ({ limit }) => `must contain at most ${limit} items`,
  duplicate_item: () => 'must not contain an item twice',
  not_a_rule_id: () =>
    'must be an id: a lower-case letter, then at most 39 lower-case letters, digits and hyphens',
  not_supported_yet: () => 'is not supported yet: leave it out, or send null',
  too_many_bytes: ({ limit }) => `must have at most ${limit} bytes as JSON`,
  too_many_list_values: ({ limit }) => `must have at most ${limit} values in all of its lists`,
  no_orders: () => 'must contain at least 1 order',
  too_many_orders: ({ limit }) => `must contain at most ${limit} orders: send the others in further requests`,
  too_many_products: ({ limit }) =>
    `must contain at most ${limit} products in all: send some of the orders in further requests`,
  too_many_products_of_order: ({ limit }) =>
    `must contain at most ${limit} products: combine equal products with their quantity, or send several orders`,
  nested_too_deep: ({ limit }) => `must not be nested deeper than ${limit} levels`,
  too_many_values: ({ limit }) => `must not have more than ${limit} values`,
  more_errors: ({ limit }) => `has more invalid fields than the ${limit} listed here`,
  nul: () => 'must not contain the NUL character',
  lone_surrogate: () => 'must be well-formed Unicode (it contains a lone surrogate)',
  not_hexadecimal: ({ limit }) => `must be exactly ${limit} hexadecimal characters`,
  hash_of_another_id: ({ field }) => `does not belong to ${field}`,
  not_an_email: () => 'must be a valid e-mail address',
  not_a_time_zone: () => 'must be a time zone such as Asia/Seoul',
  unknown_currency: () => 'must be an ISO 4217 code such as KRW; another value is ignored',
  read_as_won: () => 'must be an ISO 4217 code such as KRW; this value is read as won',
  no_reward_currency: () => 'must be an ISO 4217 code such as KRW; an order with another value earns nothing',
  invisible_characters: ({ text }) =>
    `has outer blanks or invisible characters, which make it another id: "${text}"`,
  unreadable_time: () =>
    'must be an ISO 8601 date-time such as 2026-11-21T10:00:00+09:00; another value is ignored',
  time_without_offset: () => 'must have a UTC offset such as +09:00 or Z; without one it is ignored',
  never_set: () => 'means "never set" and is ignored: send null',
  linked_before: () => 'was linked to this referrer before: nothing is changed',
  older_in_request: () => 'is older than that of the same order earlier in the request, which is kept',
  placeholder_id: () => 'is a placeholder such as undefined or guest, not the id of a member',
  placeholder_member: () =>
    'is a placeholder such as undefined or guest: all orders with it are those of one member, who cannot be referred',
  unseen_characters: () =>
    'must not begin or end with a blank or contain invisible characters: no member has this id yet',
  long_before: ({ field }) => `is more than 24 hours before ${field}`,
  far_ahead: () => 'is more than 24 hours ahead of the time of this request',
  before_other_date: ({ field }) =>
    `is more than 10 minutes before ${field}: its UTC offset is probably wrong`,
  date_time_format: () => 'must be an ISO 8601 date-time, for example 2026-03-01T12:30:00+09:00',
  date_time_date_only: () => 'must have a time too, for example 2026-03-01T00:00:00+09:00',
  date_time_blank: () => 'must have a T between date and time, for example 2026-03-01T12:30:00+09:00',
  date_time_not_calendar: () => 'must be a year, month and day, for example 2026-03-01T12:30:00+09:00',
  date_time_end_of_day: () =>
    'must be 00:00 of the next day instead of 24:00, for example 2026-03-02T00:00:00+09:00',
  date_time_nonexistent: () => 'must be a date and time that exists',
  date_time_year: () => 'must be within the years 1900 to 9999',
  date_time_offset_range: () => 'must have a UTC offset between -14:00 and +14:00',
  date_time_offset_missing: () => 'must have a UTC offset, for example +09:00',
  date_time_never_set: () =>
    'must be when the order was placed: 1970-01-01, 1900-01-01 and the year 9999 mean "never set"',
  not_after: ({ field }) => `must be after ${field}`,
  one_field_required: ({ fields }) => `must contain at least one of ${fields}`,
  required_unless: ({ field }) => `is required, unless ${field} is sent instead`,
  not_together_with: ({ field }) => `must not be sent together with ${field}`,

  not_json_content: () => 'must be application/json',
  not_utf8: () => 'must be UTF-8 text',
  json_syntax: ({ position }) => `must be valid JSON: syntax error at character ${position}`,
  json_unexpected_character: ({ character }) => `must be valid JSON: unexpected ${JSON.stringify(character)}`,
  json_incomplete: () => 'must be valid JSON: it ends too early',
  json_invalid: () => 'must be valid JSON: it cannot be parsed',
  unreadable: () => 'cannot be read',
  cursor: () => 'is not a cursor of this list',

  url_invalid: () => 'is not a valid URL',
  url_not_https: () => 'must start with https://',
  url_too_long: ({ limit }) => `must not be longer than ${limit} characters`,
  url_characters: () => 'must not contain spaces, control characters or \\',
  url_credentials: () => 'must not contain a user name or password',
  url_fragment: () => 'must not contain a fragment (#)',
  url_private_address: () => 'must point to a public address',
  url_private_host: () => 'must point to a public host',
  url_short_host: () => 'must name a full host, for example hooks.example.com',
  url_invalid_host: () => 'has an invalid host name',
  url_port: ({ port }) => `port ${port} is not allowed`,
  origin_wildcard: () => 'is not an origin: there are no wildcards, name each origin',
  origin_path: ({ origin }) => `is not an origin: write ${origin}, without a path`,
  origin_unverified: ({ origin }) => `leads to ${origin}, which is not verified yet: verify it first`,
  origin_proof_unreachable: ({ path, problem }) => `is not verified: ${path} cannot be fetched: ${problem}`,
  origin_proof_status: ({ path, status }) =>
    `is not verified: ${path} answers with HTTP ${status}; redirects are not followed`,
  origin_proof_content: ({ path }) =>
    `is not verified: ${path} must contain nothing but merchant ids, one on each line`,
  origin_proof_missing: ({ path, line }) => `is not verified: ${path} has no line ${line}`,

  password_own_words: () => 'must not be built from your e-mail address or the name of this product',
  password_repetitive: () => 'must not repeat the same characters or words',
  password_guessable: () => 'is easy to guess: use several words that do not belong together',
  already_in_team: () => 'is already in the team',
  email_not_mailable: () =>
    'has letters outside of ASCII before the @, and the mail server of this service takes none (SMTPUTF8): use another address',
  program_version_unknown: () => 'is not a version of this program',
  not_a_day: () => 'must be a day such as 2026-03-01',
  not_before: ({ field }) => `must not be before ${field}`,
  too_many_days: ({ limit }) => `must not make a range of more than ${limit} days`,
  too_many_header_lines: ({ lines, characters }) =>
    `must have at most ${lines} lines of at most ${characters} characters`,

  invalid: () => 'is not valid',
};

/** The parameters of a code, as the rest of an argument list; none where the code has no parameters. */
export type FieldErrorArguments<Code extends FieldErrorCode> = object extends FieldErrorParameters[Code]
  ? []
  : [FieldErrorParameters[Code]];

/** Makes a field error; the type checks that the parameters belong to the code. */
export function fieldError<Code extends FieldErrorCode>(
  code: Code,
  ...[parameters]: FieldErrorArguments<Code>
): FieldError {
  return { code, parameters: parameters ?? {} } as FieldError;
}

/** Writes a field error in English, as in `params` of an error answer: "must be 1 or more". */
export function describeFieldError({ code, parameters }: FieldError): string {
  return (texts[code] as (parameters: object) => string)(parameters);
}

/** Writes the errors of all fields, as in `params` of an error answer. */
export function describeFieldErrors(errors: FieldErrors): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([path, error]) => [path, describeFieldError(error)]));
}

/** Writes the warnings of all fields, as in `warnings` of an answer. */
export function describeFieldWarnings(warnings: FieldWarnings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(warnings).map(([path, found]) => [path, found.map(describeFieldError).join('; ')]),
  );
}

/** Whether a text is the code of a field error. */
export const isFieldErrorCode = (text: string): text is FieldErrorCode => Object.hasOwn(texts, text);
