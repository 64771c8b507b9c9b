import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { projectRoot } from '@rewardhook/testing';

jest.setTimeout(60_000);

interface Synonym {
  /** Matched against single words in lower case: `judgeOrder` is `judge` and `order`. */
  word: RegExp;
  use: string;
  why: string;
  /** Refused in comments, test titles and other texts too: the word has no ordinary meaning here. */
  inTexts?: boolean;
}

/** Words that were in use for what docs/glossary.md has another term for. */
const synonyms: Synonym[] = [
  {
    word: /^judg(?:e|es|ed|ing|ement|ements|ment|ments)$/,
    use: 'validate, evaluate or classify',
    why: 'it meant all three',
    inTexts: true,
  },
  { word: /^verdicts?$/, use: 'decision or outcome', why: 'it meant both', inTexts: true },
  { word: /^untold$/, use: 'not notified', why: 'merchants are notified of events', inTexts: true },
  { word: /^adrift$/, use: 'without a next attempt, or without a job', why: 'a private word', inTexts: true },
  { word: /^happenings?$/, use: 'timeline entry', why: 'a private word', inTexts: true },
  { word: /^stor(?:y|ies)$/, use: 'timeline', why: 'an order has a history, not a tale' },
  { word: /^lanes?$/, use: 'sender or concurrency limit', why: 'BullMQ and undici say concurrency' },
  { word: /^turns?$/, use: 'dispatch', why: 'a private word for sending what is due to one endpoint' },
  { word: /^(?:silence|silent|silently)$/, use: 'backoff', why: 'a wait before another try' },
  { word: /^draining$/, use: 'half-open', why: 'the third state of a circuit breaker' },
  { word: /^places?$/, use: 'cursor, environment or URL', why: 'it meant all three' },
  { word: /^tol?ld$|^tells?$/, use: 'notify, or describe', why: 'programs notify and describe' },
  { word: /^meant$/, use: 'selected or intended', why: 'programs mean nothing' },
  { word: /^looked$/, use: 'checked, read or evaluated', why: 'it meant all three' },
  { word: /^whole$/, use: 'complete, entire, or what it is', why: 'it says nothing' },
  { word: /^hot$/, use: 'pool or statement', why: 'a private word for the pg pool' },
  { word: /^arenas?$/, use: 'environment', why: 'a private word', inTexts: true },
  { word: /^moods?$/, use: 'behaviour', why: 'receivers have none', inTexts: true },
  { word: /^(?:doors?|doorways?)$/, use: 'auth', why: 'the pages for signing in', inTexts: true },
  { word: /^floors?$/, use: 'layer', why: 'packages have layers' },
  { word: /^mend(?:s|ed|ing)?$/, use: 'fix', why: 'the usual word', inTexts: true },
  { word: /^crowds?$/, use: 'a plain noun', why: 'a private word', inTexts: true },
  { word: /^sicken(?:s|ed)?$/, use: 'break or fail', why: 'a private word', inTexts: true },
  { word: /^brought$/, use: 'referred by, or referrals', why: 'a referrer refers' },
  { word: /^unheard$/, use: 'not subscribed', why: 'a webhook registers event types', inTexts: true },
  { word: /^occasions?$/, use: 'context', why: 'the usual word' },
  { word: /^cancel(?:ed|ing)$/, use: 'cancelled, cancelling', why: 'one spelling, that of the API' },
];

/** Names that were replaced, each with the one that is used now. */
const formerNames = new Map([
  ['Occasion', 'DecisionContext'],
  ['isKept', 'standsAfterMerge'],
  ['closedChecks', 'settledSubjectChecks'],
  ['guardChecks', 'doubleGrantChecks'],
  ['PrismaOnPool', 'PrismaWithSql'],
  ['DatabaseConnection', 'NumberedRedis'],
  ['examinePipeline', 'checkPipeline'],
  ['startFairly', 'claimPriority'],
  ['describeShape', 'shapeOf'],
  ['describeSends', 'summarizeSends'],
  ['openUses', 'openUsageRecord'],
  ['notRefusals', 'uncountedCodes'],
  ['isOfStranger', 'isUnauthenticated'],
  ['mayRecordStranger', 'mayRecordUnauthenticated'],
  ['broughtBy', 'referredBy'],
  ['broughtCount', 'referralCount'],
  ['noticesNextAt', 'nextDigestAt'],
  ['testedAt', 'lastPingAt'],
  ['drainPerSecond', 'rampPerSecond'],
  ['ordersMarkedAt', 'ordersEnqueuedAt'],
  ['webhook_not_notified', 'revocation_not_notified'],
  ['revocations_unheard', 'revocations_not_subscribed'],
  [
    'Refusal',
    'RejectionCause, RejectionBody, RejectionReason or DashboardError; ActRefusal for acts of people',
  ],
  ['RefusalCode', 'RejectionCode or DashboardErrorCode'],
  ['RefusalParameters', 'RejectionParameters'],
  ['describeRefusal', 'describeRejection'],
  ['openRefusals', 'openRefusedRequestCounter'],
  ['readRefusals', 'readRefusedRequests'],
  ['notNew', 'hadOrderBefore'],
  ['updateNotNewSql', 'updateHadOrderBeforeSql'],
  ['Holder', 'NotifiedEndpoint'],
  ['listHolders', 'listNotifiedEndpoints'],
  ['holderChecks', 'revocationNotifiedChecks'],
  ['notNotified', 'blockedByOpenRevocation'],
  ['withoutWebhook', 'noWebhookRegistered'],
  ['without_webhook', 'no_webhook_registered'],
  ['rewards_without_webhook_idx', 'rewards_no_webhook_registered_idx'],
]);

/** Identifiers that stay, with the reason. */
const allowedIdentifiers = new Map([
  ['floor', 'Math.floor'],
  ['MALLOC_ARENA_MAX', 'a setting of glibc'],
  ['canceled_at', 'a misspelled field in tests of warnings'],
  ['silent', 'an option of winston and of esbuild'],
]);

const listFiles = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: projectRoot, encoding: 'utf8' })
    .trim()
    .split('\n');
const sources = listFiles('*.ts', '*.tsx', '*.mjs', '*.cjs').filter(
  (path) => path !== 'tests/repository/glossary.test.ts',
);
/** Documents, alerts, the dashboard and schemas. The changelog names what was renamed. */
const otherTexts = listFiles('*.md', '*.yml', '*.yaml', '*.json', '*.sql', '*.prisma').filter(
  (path) => !/changelog|package-lock/i.test(path),
);
const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const withoutAllowed = (line: string) =>
  line.replaceAll(/[\w$]+/g, (name) => (allowedIdentifiers.has(name) ? '' : name));

/** `openHTTPServer`, `open_http_server` and `open-http-server` are `open`, `http` and `server`. */
function wordsOf(name: string): string[] {
  return name
    .split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .map((word) => word.toLowerCase());
}

function forbiddenIn(name: string, among = synonyms): Synonym[] {
  const words = wordsOf(name);
  return among.filter(({ word }) => words.some((one) => word.test(one)));
}
const violation = (where: string, name: string, { use, why }: Synonym) =>
  `${where}: "${name}": write ${use} (${why})`;

/** Every identifier of a source file: variables, functions, types, parameters and property names. */
function identifiersOf(path: string): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === 'Identifier' && typeof value === 'string') found.add(value);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(textOf(path), { syntax: 'typescript', tsx: path.endsWith('.tsx'), decorators: true }));
  return found;
}

describe('The glossary', () => {
  it('has no synonym of its terms among the identifiers', () => {
    const firstUse = new Map<string, string>();
    for (const path of sources)
      for (const name of identifiersOf(path)) if (!firstUse.has(name)) firstUse.set(name, path);
    const violations = [...firstUse]
      .filter(([name]) => !allowedIdentifiers.has(name))
      .flatMap(([name, path]) => forbiddenIn(name).map((synonym) => violation(path, name, synonym)));
    expect(violations).toEqual([]);
  });

  it('has no synonym of its terms among the names of files and folders', () => {
    const violations = sources.flatMap((path) =>
      forbiddenIn(path).map((synonym) => violation(path, path, synonym)),
    );
    expect(violations).toEqual([]);
  });

  it('has no synonym of its terms that is never right in comments and texts', () => {
    const never = synonyms.filter(({ inTexts }) => inTexts);
    const violations = [...sources, ...otherTexts].flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) =>
          forbiddenIn(withoutAllowed(line), never).map((synonym) =>
            violation(`${path}:${index + 1}`, line.trim(), synonym),
          ),
        ),
    );
    expect(violations).toEqual([]);
  });

  it('has no name that was replaced, in sources, documents, alerts and schemas', () => {
    const violations = [...sources, ...otherTexts].flatMap((path) =>
      [...new Set(textOf(path).match(/[\w$]+/g))]
        .filter((name) => formerNames.has(name))
        .map((name) => `${path}: "${name}": write ${formerNames.get(name)}`),
    );
    expect(violations).toEqual([]);
  });

  it('finds a synonym in every form of a name', () => {
    for (const name of ['judgeOrder', 'orderJUDGED', 'order_verdict', 'place-of-url', 'HTTPLane', 'whole'])
      expect([name, forbiddenIn(name).length]).toEqual([name, 1]);
    for (const name of ['replace', 'returned', 'placedAt', 'floorplan', 'planes', 'investigate'])
      expect([name, forbiddenIn(name).length]).toEqual([name, 0]);
  });
});
