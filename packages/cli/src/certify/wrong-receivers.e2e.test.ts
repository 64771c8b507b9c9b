import { certify, type CertifyReport } from '@rewardhook/certify';
import { deliveryHeaders, signBody } from '@rewardhook/webhook';
import {
  hasContractSignature,
  hasStandardSignature,
  secret,
  startReceiver,
  verifyStandard,
  wait,
  type Parts,
} from '../../testing/receivers.ts';
import { openReceiver, senderOf } from '../http/post.ts';
import { openGrantCount } from './count-grants.ts';
import { scaled } from '@rewardhook/testing';

/**
 * What a run says of a wrong receiver. A check: it fails or has a warning. `not observed`: the outcome says so, and with it
 * exit code 4. `cannot be seen`: the report names it under `cannot_be_seen`.
 */
type Expected = { check: string } | 'not observed' | { cannotBeSeen: string };

const by = (check: string): Expected => ({ check });
const unseen = (code: string): Expected => ({ cannotBeSeen: code });

const prefixOf = (given: string, expected: string): boolean =>
  given !== '' && expected.startsWith(given.slice(0, 8));

/** Twenty wrong receivers: what the plain run, and the run with --as-live and --grants-url, must say of each. */
const table: [name: string, parts: Partial<Parts>, plain: Expected, full: Expected][] = [
  [
    'parses the body before it verifies it',
    { verify: (headers, body) => Boolean(JSON.parse(body.toString())) && verifyStandard(headers, body) },
    unseen('parses_first'),
    unseen('parses_first'),
  ],
  [
    'verifies JSON that it has serialized again',
    {
      verify: (headers, body) =>
        verifyStandard(headers, Buffer.from(JSON.stringify(JSON.parse(body.toString())))),
    },
    by('other_json'),
    by('other_json'),
  ],
  [
    'compares the beginning of the signature',
    {
      verify: (headers, body) =>
        prefixOf(
          (headers['x-service-signature'] ?? '').slice('sha256='.length),
          signBody(secret, body).slice(7),
        ),
    },
    by('short_signature'),
    by('short_signature'),
  ],
  [
    'computes the signature and compares nothing',
    {
      verify: (headers, body) =>
        Boolean(hasContractSignature(headers, body) || headers['x-service-signature']),
    },
    by('wrong_secret'),
    by('wrong_secret'),
  ],
  [
    'accepts any signature of the right form',
    { verify: (headers) => /^sha256=[0-9a-f]{64}$/.test(headers['x-service-signature'] ?? '') },
    by('altered_signature'),
    by('altered_signature'),
  ],
  [
    'accepts a request without a signature',
    {
      verify: (headers, body) => headers['webhook-signature'] === undefined || verifyStandard(headers, body),
    },
    by('unsigned'),
    by('unsigned'),
  ],
  [
    'accepts old requests',
    { verify: (headers, body) => hasStandardSignature(headers, body) },
    by('stale'),
    by('stale'),
  ],
  [
    'redirects',
    { answer: (_request, response) => Boolean(response.writeHead(308, { location: '/new' }).end()) },
    by('valid'),
    by('valid'),
  ],
  [
    'reads the names of headers in one letter case',
    {
      answer: ({ rawHeaders }, response) =>
        !rawHeaders.includes('X-Service-Event') && Boolean(response.writeHead(400).end()),
    },
    by('header_case'),
    by('header_case'),
  ],
  [
    'grants before it verifies',
    {
      beforeVerifying: (body, grant) => grant(JSON.parse(body.toString()) as Parameters<typeof grant>[0]),
      refuse: () => 204,
    },
    'not observed',
    by('wrong_secret'),
  ],
  ['grants each request', { keyOf: () => crypto.randomUUID() }, 'not observed', by('repeated')],
  [
    'remembers delivery ids instead of rewards',
    { keyOf: (_event, headers) => headers['webhook-id'] ?? '' },
    'not observed',
    by('redelivered'),
  ],
  [
    'looks a reward up first and stores it afterwards',
    { beforeStoring: () => wait(100) },
    'not observed',
    by('concurrent'),
  ],
  [
    'answers before it has granted',
    { work: (apply) => void setTimeout(apply, 50) },
    unseen('works_after_answer'),
    unseen('works_after_answer'),
  ],
  [
    'stores the key of an event before it grants it',
    {
      work: async (apply) => {
        await wait(20);
        apply();
      },
    },
    unseen('key_before_grant'),
    unseen('key_before_grant'),
  ],
  ['grants test events', { grantsTests: true }, 'not observed', by('test_event')],
  [
    'ignores revocations',
    { refuse: ({ type }) => (type === 'reward.revoke' ? 204 : undefined) },
    'not observed',
    by('revoked'),
  ],
  ['takes 7 s for each request', { answer: () => wait(7_000, false) }, by('valid'), by('valid')],
  [
    'always answers 200',
    { answer: (_request, response) => Boolean(response.writeHead(200).end()) },
    by('unsigned'),
    by('unsigned'),
  ],
  [
    'crashes on an unknown type',
    { refuse: ({ type }) => (/^(?:reward|webhook)\./.test(type) ? undefined : 500) },
    by('unknown_type'),
    by('unknown_type'),
  ],
];

async function run(parts: Partial<Parts>, full: boolean): Promise<CertifyReport> {
  const receiver = await startReceiver(parts);
  const client = openReceiver(new URL(receiver.url));
  try {
    return await certify({
      url: receiver.url,
      send: senderOf(client),
      sign: deliveryHeaders,
      signing: { primary: secret, all: [secret] },
      ...(full && { asLive: true, countGrants: openGrantCount(receiver.grantsUrl) }),
    });
  } finally {
    client.close();
    await receiver.close();
  }
}

const problemsOf = ({ checks }: CertifyReport) =>
  checks.filter(({ status }) => status === 'failed' || status === 'warning').map(({ check }) => check);

function expectReport(report: CertifyReport, expected: Expected, full: boolean): void {
  const problems = problemsOf(report);
  if (expected === 'not observed') expect([report.outcome, problems]).toEqual(['not_observed', []]);
  else if ('check' in expected) expect(problems).toContain(expected.check);
  else {
    expect([report.outcome, problems]).toEqual([full ? 'passed' : 'not_observed', []]);
    expect(report.cannot_be_seen).toContain(expected.cannotBeSeen);
  }
}

describe('Twenty wrong receivers', () => {
  const reports = new Map<string, { plain: CertifyReport; full: CertifyReport }>();
  beforeAll(async () => {
    // The slow one first: it takes longest, and it waits. The others run a few at a time.
    const waiting = [...table].toSorted(
      ([, one], [, other]) => Number('answer' in other) - Number('answer' in one),
    );
    const runNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, parts] = next;
        const [plain, full] = await Promise.all([run(parts, false), run(parts, true)]);
        reports.set(name, { plain, full });
      }
    };
    await Promise.all(Array.from({ length: 5 }, runNext));
  }, 240_000);

  it.each(table)(
    'the plain and the full run say what can be said of one that %s',
    (name, _parts, plain, full) => {
      const of = reports.get(name);
      expectReport(of?.plain as CertifyReport, plain, false);
      expectReport(of?.full as CertifyReport, full, true);
    },
  );

  it('there are twenty, and no wrong one ends with a run that passes where it can be seen', () => {
    expect(table).toHaveLength(20);
    for (const { plain } of reports.values()) expect(['failed', 'not_observed']).toContain(plain.outcome);
  });

  it('a receiver that takes 7 s for each request is checked within a minute, eight checks at a time', () => {
    const { plain } = reports.get('takes 7 s for each request') as { plain: CertifyReport };
    expect(plain.duration_ms).toBeLessThan(scaled(62_000));
    expect(plain.outcome).toBe('not_observed');
    const notRun = plain.checks.filter(({ status }) => status === 'not_run').map(({ check }) => check);
    expect(plain.checks.length - notRun.length).toBeGreaterThan(25);
    expect(plain.checks.find(({ check }) => check === 'concurrent')?.finding.code).toBe('slow');
  });
});
