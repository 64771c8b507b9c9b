import { english } from '@rewardhook/contract/problems';

/** Problems. The texts of the kinds are those of the mails. */
export const problems = {
  problems: {
    kinds: english,
    lead: 'What is wrong and needs someone. The service looks every 15 seconds.',
    open_one: '{{count}} open problem',
    open_other: '{{count}} open problems',
    about: 'Problems on this page',
    all: 'Show all problems',
    wellSince: 'All well since',
    wellAlways: 'All well: no problem in the last 90 days.',
    resolved: 'Resolved',
    resolvedLead: 'A problem is resolved when it was not found for 10 minutes. It is kept for 90 days.',
    noneResolved: 'No problem was resolved in the last 90 days',
    onlyLive: 'Only the live side is watched for problems.',
    openLive: 'Problems of the live side',
    since: 'Since',
    until: 'Resolved',
    openings: 'Opened',
    openingsCount_one: '{{count}} time',
    openingsCount_other: '{{count}} times',
    failures: 'Failures in a row',
    oldest: 'Oldest delivery',
    lastError: 'Last error',
    moreThan: 'more than {{number}}',
    errors: {
      receiver_gone: 'Your server answered 410 Gone',
      failing_with_status: 'Nothing but failures for five days',
      failing_with_error: 'Nothing but failures for five days',
    },
    links: {
      webhook: 'Open webhook',
      register: 'Register webhook',
      errors: 'What the error code means',
      orders: 'Show orders',
      review: 'Review referrals',
      program: 'Open program',
      credentials: 'Open Credentials',
    },
  },
};
