/** What was found: its text, with `{{parameters}}`, and how to fix it where this does not depend on the check. */
type FindingTexts = { text: string; fix?: string };

/** Every finding. A fix here takes precedence over that of the check. */
export const findings = {
  as_expected: { text: 'It answered {{status}} in {{ms}} ms.' },
  not_reused: { text: 'It answered {{status}} in {{ms}} ms, each time on a new connection.' },
  slow: {
    text: 'It answered {{status}}, but only after {{ms}} ms.',
    fix: 'Store the event, answer, and do the work afterwards. After 15 s the service gives up and sends the event again, although you may have handled it.',
  },
  refused: { text: 'It refused a genuine request with {{status}}.' },
  duplicate_refused: { text: 'It answered {{status}} to a duplicate.' },
  copy_refused: { text: 'It answered {{status}} to {{count}} of {{total}} copies.' },
  reuse_failed: {
    text: 'After it had refused a request, it answered the next one on the same connection with {{status}}.',
  },
  redirected: {
    text: 'It answered {{status}}, a redirect to {{location}}.',
    fix: 'Redirects are not followed. Use the final URL: check http or https, www, and the slash at the end.',
  },
  not_found: {
    text: 'It answered {{status}}.',
    fix: 'There is no handler for POST at this path. Check the path, and that the route accepts POST.',
  },
  gone: {
    text: 'It answered 410 Gone.',
    fix: '410 disables the webhook: nothing more is sent to it. Answer 2xx.',
  },
  limited: {
    text: 'It answered 429.',
    fix: 'Do not limit the rate of webhooks, or allow at least 10 requests a second. Retry-After pauses all deliveries to this URL.',
  },
  server_error: {
    text: 'It answered {{status}}.',
    fix: 'The receiver failed. Look for the error in its log at the time of this check.',
  },
  no_connection: {
    text: 'No connection: {{message}}.',
    fix: 'Check that the receiver is running, its host, port and certificate, and that a firewall lets the connection through.',
  },
  blocked: {
    text: 'Nothing was sent: {{message}}.',
    fix: 'Webhooks are sent only to public addresses. Use a public https URL; for a receiver on your own machine, use the command line: rewardhook certify.',
  },
  timed_out: {
    text: 'No complete answer within 15 s.',
    fix: 'Answer first and work afterwards, and answer each request, also those that you refuse. The service gives up after 15 s.',
  },
  broke_off: {
    text: 'It closed the connection without a complete answer: {{message}}.',
    fix: 'Answer each request with a status. Look for a crash in the log of the receiver, and for a limit of your proxy.',
  },
  answered_early: {
    text: 'It answered {{status}} after {{ms}} ms, before it had the body, which was sent over {{sending}} ms.',
    fix: 'Answer after you have read and verified the complete body. An answer before that acknowledges events that you do not have.',
  },
  forgery_accepted: { text: 'It answered {{status}}: it accepted the request.' },
  forgery_crashed: {
    text: 'It answered {{status}}. The request had no effect as far as can be seen, but this is not a refusal.',
    fix: 'Answer 4xx. An error of the receiver on a request that anyone can send fills your log, and hides real errors.',
  },
  forgery_unanswered: {
    text: 'No answer: {{message}}.',
    fix: 'Answer 4xx at once. A request that anyone can send must not occupy the receiver.',
  },
  granted: {
    text: 'Its own count says that the reward is granted {{observed}} times instead of {{expected}}.',
  },
  test_granted: {
    text: 'It granted a reward that is marked as a test.',
    fix: 'Answer 2xx to an event with "test": true, and grant nothing.',
  },
  grants_unreadable: {
    text: 'The answer was as expected, but the count of grants could not be read: {{message}}.',
    fix: 'The URL of the count must answer 200 within 5 s with {"grants": 1}, or with the number alone.',
  },
  genuine_refused: { text: 'Not run: the receiver must accept a genuine webhook first.' },
  not_answering: { text: 'Not run: the receiver let two requests run into the time limit.' },
  time_is_up: { text: 'Not completed: the whole run ended after {{seconds}} s.' },
} as const satisfies Record<string, FindingTexts>;

/** One of {@link findings}. */
export type FindingCode = keyof typeof findings;
