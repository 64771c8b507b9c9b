import type { ProblemTexts } from './problem-kinds.ts';

/** The kinds of problems in English. */
export const english: ProblemTexts = {
  webhook_failing: {
    title: 'A webhook keeps failing',
    advice:
      'Check that your server answers with a 2xx within 15 seconds. Events that could not be sent are kept.',
    counts: 'Deliveries that wait',
  },
  webhook_disabled: {
    title: 'A webhook is disabled',
    advice: 'Repair your server, then enable the webhook.',
    counts: 'Deliveries that are held',
  },
  deliveries_exhausted: {
    title: 'Rewards were not delivered, and no retries are left',
    advice: 'Repair your server, then send them again from the page of the webhook.',
    counts: 'Deliveries without retries left',
  },
  no_webhook: {
    title: 'Confirmed rewards have no webhook',
    advice:
      'Register a webhook for reward.issue. Rewards that are confirmed already can be read from the event feed.',
    counts: 'Rewards',
  },
  revocations_not_subscribed: {
    title: 'A webhook does not receive revocations',
    advice: 'Rewards were revoked. Add reward.revoke to the event types of the webhook.',
    counts: 'Rewards revoked in 7 days',
  },
  requests_refused: {
    title: 'API requests are refused',
    advice: 'Requests lists them with their fields. The documentation of errors explains the code.',
    counts: 'Requests',
  },
  orders_without_referrer: {
    title: 'Many more orders than before have no referrer',
    advice: 'Check whether something has changed in how you link members (the boot or link call).',
    counts: 'Orders of the last hour',
  },
  referrals_to_review: {
    title: 'Referrals wait for a review',
    advice: 'Accept or reject them. Their rewards stay pending until then.',
    counts: 'Referrals',
  },
  budget_nearly_used: {
    title: 'The budget of the program is nearly used',
    advice: 'When it is used up, no new rewards are given. Raise it if that is not what you want.',
    counts: 'Percent of the budget',
  },
  signing_key_expiring: {
    title: 'The signing key expires soon',
    advice: 'Ask your operator for a new one. Without a key, webhooks have no signature.',
    counts: 'Signing keys',
  },
  finding: {
    title: 'The check of the service found a problem',
    advice: 'Run the command doctor.',
    counts: 'Number',
  },
};
