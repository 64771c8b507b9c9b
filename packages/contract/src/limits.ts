/** Every limit that a merchant or user can reach, with the parameters that its text needs. */
export interface LimitParameters {
  api_keys: { limit: number };
  open_invitations: { limit: number };
  invitations_per_day: { limit: number };
  team_members: { limit: number };
  merchants_per_user: { limit: number };
  webhooks: { limit: number };
  webhooks_per_host: { host: string; limit: number };
  /** Of all merchants together, at a URL that has never answered with 2xx. */
  webhooks_at_new_url: { limit: number };
  /** Of one merchant, one webhook at each URL. */
  webhook_url_taken: { webhook_id: string };
  active_replays: { limit: number };
  test_events: { seconds: number };
}

/** The code of a limit. */
export type LimitCode = keyof LimitParameters;

/** A limit that was reached. The text is written where it is displayed. */
export type Limit = {
  [Code in LimitCode]: { code: Code; parameters: LimitParameters[Code] };
}[LimitCode];

const texts: { [Code in LimitCode]: (parameters: LimitParameters[Code]) => string } = {
  api_keys: ({ limit }) => `A merchant has at most ${limit} API keys that are not revoked. Revoke one first.`,
  open_invitations: ({ limit }) =>
    `A merchant has at most ${limit} open invitations. Revoke one, or wait until one is accepted.`,
  invitations_per_day: ({ limit }) =>
    `A merchant sends at most ${limit} invitations in 24 hours. Try again later.`,
  team_members: ({ limit }) => `A team has at most ${limit} members. Remove one first.`,
  merchants_per_user: ({ limit }) => `A user belongs to at most ${limit} merchants.`,
  webhooks: ({ limit }) => `A merchant has at most ${limit} webhooks. Delete one first.`,
  webhooks_per_host: ({ host, limit }) => `exceeds the limit of ${limit} webhooks on the host ${host}`,
  webhooks_at_new_url: ({ limit }) =>
    `has never answered with 2xx and is already registered ${limit} times, which is the limit until it does`,
  webhook_url_taken: ({ webhook_id: id }) => `is already the URL of the webhook ${id}`,
  active_replays: ({ limit }) =>
    `At most ${limit} replays can be running or paused at once. Wait for one to end, or cancel one.`,
  test_events: ({ seconds }) => `Test events can be sent every ${seconds} s.`,
};

/** Whether the code of an error is that of a limit. */
export function isLimit(error: { code: string }): error is Limit {
  return Object.hasOwn(texts, error.code);
}

/** Writes a limit in English. One that is about a field continues a sentence that begins with the field's name. */
export function describeLimit({ code, parameters }: Limit): string {
  return (texts[code] as (parameters: object) => string)(parameters);
}
