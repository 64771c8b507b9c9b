/** The groups of checks, in the order in which they run and are shown. */
export const checkGroups = {
  genuine: 'Genuine webhooks are accepted',
  repeated: 'Each reward is granted once',
  forged: 'Forged and old requests are refused',
  robust: 'Unusual but genuine webhooks are accepted',
} as const;

/** One of {@link checkGroups}. */
export type CheckGroup = keyof typeof checkGroups;

/** A check: what it is called, what is sent, what the receiver should do, and how to fix it when it does not. */
type Check = { group: CheckGroup; title: string; sent: string; expected: string; fix: string };

/**
 * Every check, in the order in which they run. The later a check, the more time the receiver has had to act on what the
 * ones before sent, when grants are counted at the end.
 */
export const checks = {
  valid: {
    group: 'genuine',
    title: 'A reward.issue is accepted',
    sent: 'A reward.issue with all headers and both signatures, exactly as the service sends it.',
    expected: 'Any 2xx within 15 s.',
    fix:
      'Compare what you sign with what arrives: the signature covers the raw bytes of the body, not JSON that was ' +
      'parsed and serialized again. The secret must be the complete one, with whsec_. The clock must be correct to ' +
      'within 5 minutes. Paste the headers and the body of a request into the signature checker of the console to see ' +
      'which of them is wrong.',
  },
  ping: {
    group: 'genuine',
    title: 'A webhook.ping is accepted',
    sent: 'A signed webhook.ping, the test event of the console. Its data is empty.',
    expected: 'Any 2xx.',
    fix:
      'Verify the signature first, then look at the type. For types that you do nothing with, answer 2xx. Read ' +
      'data.reward only for reward.issue and reward.revoke.',
  },
  revoked: {
    group: 'genuine',
    title: 'A reward.revoke is accepted',
    sent: 'A reward.issue, and then the reward.revoke of the same reward.',
    expected: 'Any 2xx for both. The reward is taken back.',
    fix:
      'Handle reward.revoke: take back what data.reward.id was granted for. Use the event type and the reward id ' +
      'together as your key: with the reward id alone, the revocation is taken for a duplicate of the grant.',
  },
  test_side: {
    group: 'genuine',
    title: 'An event of the test side is answered 2xx',
    sent: 'A signed reward.issue with "mode": "test", as webhooks of the test side receive it.',
    expected: 'Any 2xx, and no grant.',
    fix:
      'An event with "mode": "test" stands for no money. Answer 2xx, and grant nothing: a URL that is registered on ' +
      'both sides receives such events. Only a receiver that serves nothing but the test side may grant them.',
  },
  test_event: {
    group: 'genuine',
    title: 'A test event is answered 2xx and grants nothing',
    sent: 'A signed reward.issue with "test": true, as the console sends it, also when the others are not marked.',
    expected: 'Any 2xx, and no grant.',
    fix: 'Answer 2xx to an event with "test": true, and grant nothing: its reward does not exist.',
  },
  repeated: {
    group: 'repeated',
    title: 'The same delivery again is answered 2xx',
    sent: 'The same reward.issue twice, with the same delivery id. The second has attempt 2 and a new time, as a retry has.',
    expected: 'Any 2xx for both, and one grant.',
    fix: 'A duplicate is a success: answer 2xx and do nothing. With any other answer the service sends it again, for 75 hours.',
  },
  redelivered: {
    group: 'repeated',
    title: 'The same event in another delivery is answered 2xx',
    sent: 'The same reward.issue twice, with two delivery ids: what a second webhook or a replay sends.',
    expected: 'Any 2xx for both, and one grant.',
    fix: 'Remember the event type and data.reward.id, not X-Service-Delivery: each URL and each replay has its own delivery id. Answer 2xx for the duplicate.',
  },
  concurrent: {
    group: 'repeated',
    title: 'Copies that arrive at the same time are answered 2xx',
    sent: 'The same reward.issue five times at once, with two delivery ids. Three times, each with another reward.',
    expected: 'Any 2xx for each, and one grant of each reward.',
    fix:
      'Let a unique key in your database decide, on event type and reward id, inserted in the transaction of the ' +
      'grant. To look first and insert afterwards lets two requests pass. Let the later ones wait for the first, and ' +
      'answer 2xx.',
  },
  reordered: {
    group: 'repeated',
    title: 'A revocation that arrives before its reward is accepted',
    sent: 'The reward.revoke of a reward, and only then its reward.issue.',
    expected: 'Any 2xx for both, and no grant remains.',
    fix:
      'Events arrive in any order. With points, subtract for one and add for the other. With a coupon, store a ' +
      'revocation that finds no grant, and do not grant that reward afterwards. Do not answer with an error: the retry ' +
      'is no better.',
  },
  unsigned: {
    group: 'forged',
    title: 'An unsigned request is refused',
    sent: 'A reward.issue without X-Service-Signature and without webhook-signature.',
    expected: '4xx, for example 400 or 401.',
    fix: 'Anyone who finds the URL can grant rewards. Refuse each request whose signature is missing, before you act on it.',
  },
  malformed: {
    group: 'forged',
    title: 'A malformed signature is refused',
    sent: 'A reward.issue whose signatures are cut off: "sha256=0" and "v1,".',
    expected: '4xx.',
    fix: 'Compare the lengths before you compare in constant time (timingSafeEqual throws when they differ), and never only the beginning of the signature.',
  },
  altered_signature: {
    group: 'forged',
    title: 'A signature with one other byte is refused',
    sent: 'Three requests with the right signatures in which the first, a middle or the last byte is another one.',
    expected: '4xx for each.',
    fix: 'Compare all bytes of the signature in constant time. A comparison of a part can be forged by trying.',
  },
  short_signature: {
    group: 'forged',
    title: 'The beginning of a signature is refused',
    sent: 'Three requests with one character, half, and all but one byte of the right signatures.',
    expected: '4xx for each.',
    fix:
      'Require the complete length, 64 hexadecimal digits or 32 bytes of base64, and then compare all of it. One ' +
      'character that is accepted is forged in 64 tries.',
  },
  swapped_case: {
    group: 'forged',
    title: 'A signature in the other letter case is refused',
    sent:
      'A request whose webhook-signature has small letters for capital ones and the reverse: in base64 these are other ' +
      'bytes. X-Service-Signature has another byte.',
    expected: '4xx.',
    fix: 'Compare the decoded bytes, or the texts exactly as they are. base64 must not be compared without regard to letter case.',
  },
  other_spelling: {
    group: 'forged',
    title: 'The right signature in another spelling is refused',
    sent: 'Three requests: in capital hexadecimal digits and base64 without padding, and with more characters after complete signatures.',
    expected: '4xx, else a warning: nobody can forge it without the secret.',
    fix:
      'Accept a signature only in the form in which the service sends it: 64 lower-case hexadecimal digits, or base64 ' +
      'with its padding, and nothing after it.',
  },
  wrong_secret: {
    group: 'forged',
    title: 'A request signed with another secret is refused',
    sent: 'A reward.issue whose two signatures are made with a secret that nobody has.',
    expected: '4xx.',
    fix: 'Compute the signature with your own secret and compare all of it, in constant time. That a signature is present proves nothing.',
  },
  empty_secret: {
    group: 'forged',
    title: 'A request signed with an empty secret is refused',
    sent: 'A reward.issue whose two signatures are made with an empty key, with which anyone can sign.',
    expected: '4xx.',
    fix: 'One of your secrets is empty, for example a variable for the old secret that is not set. Refuse to start when a secret is missing.',
  },
  altered_body: {
    group: 'forged',
    title: 'A request with another amount is refused',
    sent: 'A reward.issue in which the amount was changed after it was signed.',
    expected: '4xx.',
    fix: 'The signature must cover the complete body as it arrived.',
  },
  altered_bytes: {
    group: 'forged',
    title: 'A request with one more space is refused',
    sent: 'A reward.issue with a space inserted after it was signed. As parsed JSON it is the same.',
    expected: '4xx.',
    fix:
      'You verify JSON that was parsed and serialized again. Verify the raw bytes: in Express, mount express.raw({ ' +
      'type: "*/*" }) on this path before express.json().',
  },
  altered_id: {
    group: 'forged',
    title: 'A request with another delivery id is refused',
    sent: 'A reward.issue whose webhook-id and X-Service-Delivery were replaced after it was signed.',
    expected: '4xx.',
    fix: 'Verify webhook-signature, which covers "<webhook-id>.<webhook-timestamp>.<body>". X-Service-Signature covers only the body.',
  },
  altered_timestamp: {
    group: 'forged',
    title: 'An old request with a new time is refused',
    sent: 'A request signed 10 minutes ago whose webhook-timestamp was replaced by the time of now.',
    expected: '4xx.',
    fix: 'Verify webhook-signature, which covers the time. A time that is not signed protects from nothing.',
  },
  stale: {
    group: 'forged',
    title: 'A request from 10 minutes ago is refused',
    sent: 'A correctly signed reward.issue whose webhook-timestamp is 10 minutes in the past: a recorded request.',
    expected: '4xx.',
    fix:
      'After you have verified webhook-signature, refuse a webhook-timestamp that differs from your clock by more than ' +
      '5 minutes. Retries have a new time each.',
  },
  future: {
    group: 'forged',
    title: 'A request from 10 minutes ahead is refused',
    sent: 'A correctly signed reward.issue whose webhook-timestamp is 10 minutes in the future.',
    expected: '4xx.',
    fix: 'Check the difference in both directions: a request with a far time could be sent again until then. If your clock is slow, synchronize it with NTP.',
  },
  without_timestamp: {
    group: 'forged',
    title: 'A request without its signed time is refused',
    sent: 'A reward.issue with a correct X-Service-Signature, but without the webhook-* headers.',
    expected: '4xx.',
    fix:
      'A recorded request can be sent again at any time if its webhook-* headers are removed. Require ' +
      'webhook-signature. Accept this only if a proxy of yours removes these headers and cannot be changed; then only ' +
      'your record of grants protects you.',
  },
  other_json: {
    group: 'robust',
    title: 'JSON in another notation is accepted',
    sent: 'A correctly signed reward.issue with line breaks, indentation and escaped characters.',
    expected: 'Any 2xx.',
    fix:
      'You verify JSON that was parsed and serialized again, which has other bytes. Verify the raw bytes: in Express, ' +
      'mount express.raw({ type: "*/*" }) on this path before express.json().',
  },
  header_case: {
    group: 'robust',
    title: 'Header names in another letter case are accepted',
    sent: 'A correctly signed reward.issue whose header names have small letters for capital ones and the reverse.',
    expected: 'Any 2xx.',
    fix: 'Read headers without regard to letter case. Proxies and HTTP/2 change it.',
  },
  extra_fields: {
    group: 'robust',
    title: 'Fields that are new are ignored',
    sent: 'A correctly signed reward.issue with fields that do not exist yet, at the top and within data.',
    expected: 'Any 2xx.',
    fix: 'Ignore fields that you do not know. New ones are added without notice.',
  },
  unknown_type: {
    group: 'robust',
    title: 'An event of an unknown type is answered 2xx',
    sent: 'A correctly signed event of a type that does not exist.',
    expected: 'Any 2xx.',
    fix: 'Answer 2xx for types that you do not handle. An error makes the service retry for 75 hours, and counts against the webhook.',
  },
  rotation_before: {
    group: 'robust',
    title: 'The first part of a rotation is accepted',
    sent: 'A reward.issue with two signatures in webhook-signature: that of a new secret, and yours. X-Service-Signature is made with yours.',
    expected: 'Any 2xx.',
    fix: 'webhook-signature is a list, separated by spaces. Accept the request when any of them is valid.',
  },
  rotation_after: {
    group: 'robust',
    title: 'The second part of a rotation is accepted',
    sent: 'As before, with X-Service-Signature made with the new secret, which you do not have yet.',
    expected: 'Any 2xx.',
    fix:
      'Verify webhook-signature, which both secrets sign during a rotation. If you verify X-Service-Signature, you ' +
      'must have the new secret before it signs.',
  },
  slow_body: {
    group: 'robust',
    title: 'A body that arrives slowly is accepted',
    sent: 'A reward.issue in 12 pieces, sent over 2.4 s.',
    expected: 'Any 2xx, after the complete body has arrived.',
    fix: 'Read until the end of the body: one "data" event or one read is only a part. Allow at least 15 s for it.',
  },
  large_body: {
    group: 'robust',
    title: 'A large body is accepted',
    sent: 'A correctly signed reward.issue of 64 KiB, with the longest ids and characters of several bytes.',
    expected: 'Any 2xx.',
    fix:
      'Allow bodies of at least 64 KiB. Keep them as bytes until they are verified: text that is cut between two bytes ' +
      'of a character has other bytes. Ids have up to 255 characters.',
  },
  keep_alive: {
    group: 'robust',
    title: 'A connection can be used again after a refusal',
    sent: 'A genuine, an unsigned and another genuine request, one after the other on one connection.',
    expected: '2xx, 4xx, 2xx. To close the connection after an answer is allowed.',
    fix: 'Read the complete body before you refuse a request, or answer with "Connection: close". Otherwise its rest is taken for the next request.',
  },
} as const satisfies Record<string, Check>;

/** One of {@link checks}. */
export type CheckId = keyof typeof checks;
