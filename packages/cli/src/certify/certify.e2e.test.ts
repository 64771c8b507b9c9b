import { certify, type CertifyReport } from '@rewardhook/certify';
import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import { compileJsonSchema } from '@rewardhook/testing/answers';
import { freePort, scaled } from '@rewardhook/testing';
import { deliveryHeaders, signBody } from '@rewardhook/webhook';
import {
  hasContractSignature,
  hasStandardSignature,
  readFirstChunk,
  readSmall,
  secret,
  startReceiver,
  startReceiverThatLeavesBodies,
  verifyStandard,
  wait,
  type Parts,
  type RunningReceiver,
} from '../../testing/receivers.ts';
import { openReceiver, senderOf } from '../http/post.ts';
import { openGrantCount } from './count-grants.ts';

/** The limit of the service. */
const timeoutMs = 15_000;

interface RunOptions {
  asLive?: boolean;
  counted?: boolean;
  timeoutMs?: number;
  timeLimitMs?: number;
}

async function check(receiver: Pick<RunningReceiver, 'url' | 'grantsUrl'>, options: RunOptions = {}) {
  const client = openReceiver(new URL(receiver.url), options.timeoutMs ?? timeoutMs);
  try {
    return await certify({
      url: receiver.url,
      send: senderOf(client),
      sign: deliveryHeaders,
      signing: { primary: secret, all: [secret] },
      asLive: options.asLive ?? false,
      ...(options.timeLimitMs !== undefined && { timeLimitMs: options.timeLimitMs }),
      ...(options.counted && { countGrants: openGrantCount(receiver.grantsUrl) }),
    });
  } finally {
    client.close();
  }
}

/** The checks that are not passed: `check: status finding`. */
const problemsOf = ({ checks }: CertifyReport): string[] =>
  checks
    .filter(({ status }) => status !== 'passed' && status !== 'not_run')
    .map(({ check: name, status, finding }) => `${name}: ${status} ${finding.code}`);

/** The checks that send a genuine `reward.issue`, which must be granted. */
const grantingChecks = [
  'valid',
  'repeated',
  'redelivered',
  'concurrent',
  'other_json',
  'header_case',
  'extra_fields',
  'rotation_before',
  'rotation_after',
  'slow_body',
  'large_body',
  'keep_alive',
];

const failed = (finding: string, ...names: string[]): string[] =>
  names.map((name) => `${name}: failed ${finding}`);

const allForged = [
  'unsigned',
  'malformed',
  'altered_signature',
  'short_signature',
  'swapped_case',
  'wrong_secret',
  'empty_secret',
  'altered_body',
  'altered_bytes',
  'altered_id',
  'altered_timestamp',
  'stale',
  'future',
];
const never = new Promise<void>(() => undefined);

/** A deliberately wrong receiver, and what must be found. */
type Wrong = [name: string, parts: Partial<Parts>, expected: string[], options?: RunOptions];

const wrongReceivers: Wrong[] = [
  [
    'does not verify signatures',
    { verify: () => true },
    [
      ...failed('forgery_accepted', ...allForged),
      'other_spelling: warning forgery_accepted',
      'without_timestamp: warning forgery_accepted',
    ],
  ],
  [
    'verifies JSON that was parsed and serialized again',
    {
      verify: (headers, body) => {
        const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
        return verifyStandard(headers, again);
      },
    },
    [...failed('forgery_accepted', 'altered_bytes'), ...failed('refused', 'other_json')],
  ],
  [
    'ignores the timestamp',
    { verify: (headers, body) => hasStandardSignature(headers, body) },
    failed('forgery_accepted', 'stale', 'future'),
  ],
  [
    'refuses old requests, but not early ones',
    {
      verify: (headers, body) =>
        Date.now() / 1000 - Number(headers['webhook-timestamp']) <= 300 &&
        hasStandardSignature(headers, body),
    },
    failed('forgery_accepted', 'future'),
  ],
  [
    'verifies X-Service-Signature only',
    { verify: hasContractSignature },
    [
      ...failed('forgery_accepted', 'altered_id', 'altered_timestamp', 'stale', 'future'),
      'without_timestamp: warning forgery_accepted',
      'rotation_after: warning refused',
    ],
  ],
  [
    'verifies X-Service-Signature, and a time that is not signed',
    {
      verify: (headers, body) =>
        Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) <= 300 &&
        hasContractSignature(headers, body),
    },
    [...failed('forgery_accepted', 'altered_id', 'altered_timestamp'), 'rotation_after: warning refused'],
  ],
  [
    'accepts an old secret that is empty',
    {
      verify: (headers, body) =>
        verifyStandard(headers, body) || headers['x-service-signature'] === signBody('', body),
    },
    failed('forgery_accepted', 'empty_secret'),
  ],
  [
    'reads only the first of several signatures',
    {
      verify: (headers, body) =>
        hasStandardSignature(headers, body, true) &&
        Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) <= 300,
    },
    [...failed('refused', 'rotation_before'), 'rotation_after: warning refused'],
  ],
  [
    'crashes on a signature of another length',
    {
      verify: (headers, body) => {
        if ((headers['webhook-signature'] ?? '').length < 10)
          throw new RangeError('must have the same byte length');
        return verifyStandard(headers, body);
      },
    },
    [
      'unsigned: warning forgery_crashed',
      'malformed: warning forgery_crashed',
      'short_signature: warning forgery_crashed',
      'without_timestamp: warning forgery_crashed',
    ],
  ],
  [
    'answers 409 to duplicates',
    { duplicate: 409 },
    [...failed('duplicate_refused', 'repeated', 'redelivered'), 'concurrent: warning copy_refused'],
  ],
  [
    'remembers delivery ids',
    { keyOf: (_event, headers) => headers['webhook-id'] ?? '' },
    failed('granted', 'redelivered', 'concurrent'),
    { asLive: true, counted: true },
  ],
  [
    'looks up a reward first and stores it afterwards',
    { beforeStoring: () => wait(100) },
    failed('granted', 'concurrent'),
    { asLive: true, counted: true },
  ],
  [
    'remembers the id of the reward without the event type',
    { keyOf: ({ data, id }) => data.reward?.id ?? id },
    failed('granted', 'revoked', 'reordered'),
    { asLive: true, counted: true },
  ],
  [
    'grants before it verifies',
    {
      beforeVerifying: (body, grant) => {
        const event = JSON.parse(body.toString()) as { type: string; data: object };
        if (event.type === 'reward.issue') grant(event as Parameters<typeof grant>[0]);
      },
      refuse: ({ type }) => (type === 'reward.issue' ? 204 : undefined),
    },
    [
      ...failed(
        'granted',
        'repeated',
        'redelivered',
        'concurrent',
        ...allForged,
        'other_spelling',
        'without_timestamp',
      ),
    ],
    { asLive: true, counted: true },
  ],
  [
    'never grants anything',
    { refuse: () => 204 },
    failed('granted', ...grantingChecks),
    { asLive: true, counted: true },
  ],
  [
    'answers 200 before it reads the request',
    { answer: (_request, response) => Boolean(response.writeHead(200).end()) },
    [
      ...failed('forgery_accepted', ...allForged),
      'other_spelling: warning forgery_accepted',
      'without_timestamp: warning forgery_accepted',
      ...failed('answered_early', 'slow_body'),
    ],
  ],
  [
    'never answers',
    { answer: () => never.then(() => true) },
    failed('timed_out', 'valid'),
    { timeoutMs: 500 },
  ],
  [
    'does not answer forged requests',
    {
      answer: (request) =>
        request.headers['x-service-signature'] === undefined || request.headers['webhook-signature'] === 'v1,'
          ? never.then(() => true)
          : false,
    },
    ['unsigned: warning forgery_unanswered', 'malformed: warning forgery_unanswered'],
    { timeoutMs: 3_000 },
  ],
  [
    'redirects',
    {
      answer: (_request, response) =>
        Boolean(response.writeHead(308, { location: 'https://www.shop.example/webhooks' }).end()),
    },
    failed('redirected', 'valid'),
  ],
  [
    'has another path',
    { answer: (_request, response) => Boolean(response.writeHead(404).end()) },
    failed('not_found', 'valid'),
  ],
  [
    'is gone',
    { answer: (_request, response) => Boolean(response.writeHead(410).end()) },
    failed('gone', 'valid'),
  ],
  ['has another secret', { verify: () => false }, failed('refused', 'valid')],
  [
    'closes the connection',
    { answer: (request) => Boolean(request.socket.destroy()) },
    failed('broke_off', 'valid'),
  ],
  [
    'knows reward.issue only',
    { refuse: ({ type }) => (type === 'reward.issue' ? undefined : 400) },
    [...failed('refused', 'ping', 'revoked', 'reordered'), 'unknown_type: warning refused'],
  ],
  [
    'reads data.reward of every event',
    { refuse: ({ data }) => (data.reward ? undefined : 500) },
    [...failed('server_error', 'ping'), 'unknown_type: warning server_error'],
  ],
  [
    'does not find the reward of an early revocation',
    {
      refuse: ({ type, data }, handled) =>
        type === 'reward.revoke' && !handled.has(`reward.issue ${data.reward?.id}`) ? 409 : undefined,
    },
    failed('refused', 'reordered'),
  ],
  [
    'refuses unknown fields',
    { refuse: (event) => ('certify_field' in event ? 422 : undefined) },
    failed('refused', 'extra_fields'),
  ],
  ['reads only the first part of a body', { read: readFirstChunk }, failed('refused', 'slow_body')],
  ['refuses bodies of 10 kB', { read: readSmall }, failed('refused', 'large_body')],
  [
    'is slow for one type',
    {
      refuse: () => undefined,
      answer: async (request) =>
        request.headers['x-service-event'] === 'webhook.ping' ? wait(5_100, false) : false,
    },
    ['ping: warning slow'],
  ],
  [
    'grants events of the test side',
    { grantsTestSide: true },
    failed('granted', 'test_side'),
    { asLive: true, counted: true },
  ],
  [
    'refuses events of the test side',
    { refuse: ({ mode }) => (mode === 'test' ? 400 : undefined) },
    ['test_side: warning refused'],
  ],
  [
    'grants test events',
    { grantsTests: true },
    [...grantingChecks.map((name) => `${name}: warning test_granted`), ...failed('granted', 'test_event')],
    { counted: true },
  ],
];

describe('certify', () => {
  const running: RunningReceiver[] = [];
  const start = async (receiver: Promise<RunningReceiver>) => {
    const started = await receiver;
    running.push(started);
    return started;
  };
  const reports = new Map<string, CertifyReport>();
  // A few at the same time: each takes some seconds, mostly of waiting.
  beforeAll(async () => {
    const waiting = [...wrongReceivers];
    const runNext = async (): Promise<void> => {
      const next = waiting.shift();
      if (!next) return;
      const [name, parts, , options] = next;
      reports.set(name, await check(await start(startReceiver(parts)), options));
      return runNext();
    };
    await Promise.all(Array.from({ length: 6 }, runNext));
  }, 180_000);
  afterAll(() => Promise.all(running.map((receiver) => receiver.close())));

  it.each(wrongReceivers)('finds a receiver that %s', (name, _parts, expected) => {
    const report = reports.get(name) as CertifyReport;
    // A body may arrive in several parts even when it is sent at once.
    const found = problemsOf(report).filter(
      (one) => name !== 'reads only the first part of a body' || !one.startsWith('large_body'),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(report.outcome).toBe(expected.some((one) => one.includes(': failed')) ? 'failed' : 'not_observed');
  });

  it('passes a correct receiver, with and without the mark of tests, and counts its grants', async () => {
    const [marked, live] = await Promise.all([
      check(await start(startReceiver()), { counted: true }),
      check(await start(startReceiver()), { counted: true, asLive: true }),
    ]);
    expect([marked.outcome, live.outcome]).toEqual(['not_observed', 'passed']);
    expect([marked.grants_observed, marked.marked_as_tests, live.marked_as_tests]).toEqual([
      true,
      true,
      false,
    ]);
    const observed = ({ checks }: CertifyReport, name: string) =>
      checks.find((one) => one.check === name)?.grants?.observed;
    expect(
      ['valid', 'concurrent', 'revoked', 'test_side', 'stale'].map((name) => observed(live, name)),
    ).toEqual([1, 1, 0, 0, 0]);
    expect(observed(marked, 'concurrent')).toBe(0);
  }, 30_000);

  it('takes the rewards back that a live run has granted', async () => {
    const receiver = await start(startReceiver());
    const report = await check(receiver, { asLive: true, counted: true });
    const count = openGrantCount(receiver.grantsUrl);
    for (const { grants } of report.checks) if (grants) expect(await count(grants.reward_id, '')).toBe(0);
  }, 30_000);

  it('finds a receiver that takes the body of a refused request for the next request', async () => {
    const receiver = await start(startReceiverThatLeavesBodies());
    expect(problemsOf(await check(receiver))).toContain('keep_alive: failed reuse_failed');
  }, 30_000);

  it('reports an unreadable count of grants, and nothing about grants without one', async () => {
    const receiver = await start(startReceiver());
    const report = await check({ ...receiver, grantsUrl: `${receiver.url}/no-count` }, { counted: true });
    expect(report.grants_observed).toBe(false);
    expect(problemsOf(report)).toContain('valid: warning grants_unreadable');
  }, 30_000);

  it('sends nothing more when the receiver cannot be reached or refuses a genuine webhook', async () => {
    const port = await freePort();
    const report = await check({ url: `http://127.0.0.1:${port}/`, grantsUrl: '' });
    expect(problemsOf(report)).toEqual(['valid: failed no_connection']);
    expect(report.counts).toMatchObject({ failed: 1, not_run: report.checks.length - 1 });
    expect(report.checks[1]?.finding.code).toBe('genuine_refused');
  });

  it('ends the request in progress and the whole run after its time limit, and says so of each check that was not made', async () => {
    const receiver = await start(
      startReceiver({
        answer: ({ headers }) =>
          headers['x-service-event'] === 'webhook.ping' ? new Promise<boolean>(() => undefined) : false,
      }),
    );
    const report = await check(receiver, { timeLimitMs: 1_500 });
    expect(report.duration_ms).toBeLessThan(scaled(5_000));
    const [valid, ...others] = report.checks;
    expect([report.outcome, valid?.status]).toEqual(['not_observed', 'passed']);
    expect(others.map(({ status, finding }) => [status, finding])).toEqual(
      others.map(() => ['not_run', { code: 'time_is_up', parameters: { seconds: 1.5 } }]),
    );
    expect(others[0]?.steps).toEqual([expect.objectContaining({ error: 'aborted: aborted' })]);
  });

  it('marks its events as tests, and sends events that fulfil the published schemas', async () => {
    const bodies: string[] = [];
    const receiver = await start(
      startReceiver({ beforeVerifying: (body) => void bodies.push(body.toString()) }),
    );
    await check(receiver);
    expect(bodies.length).toBeGreaterThan(30);
    const validators = new Map<string, (event: unknown) => string[]>(
      eventTypes.map((type) => [type, compileJsonSchema(eventCatalogue[type].schema)]),
    );
    for (const body of bodies) {
      const event = JSON.parse(body) as { type: string; test?: boolean };
      expect(event.test).toBe(true);
      expect(validators.get(event.type)?.(event) ?? []).toEqual([]);
    }
  }, 30_000);
});
