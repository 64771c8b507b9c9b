import {
  acceptedAll,
  found,
  isSuccess,
  refused,
  refusedAll,
  slowest,
  stepsOf,
  type Classified,
} from './classify.ts';
import type { CheckId } from './checks.ts';
import type { Posted, Poster, Variation } from './post.ts';
import type { CheckStatus, Step } from './report.ts';
import {
  emptySecret,
  fillUp,
  inOtherNotation,
  rewardEvent,
  sampleEvent,
  sampleId,
  unknownSecret,
  type SampleEvent,
  type SampleOptions,
} from './samples.ts';
import type { OutgoingRequest, SigningSecrets } from './transport.ts';

/** The result of a check, and the rewards whose grants are counted at the end. */
export type CheckOutcome = Classified & { steps: Step[]; rewards?: { id: string; expected: number }[] };

/** What a check works with. */
export type CheckContext = Poster & { sample: SampleOptions; signing: SigningSecrets };

type Run = (context: CheckContext) => Promise<CheckOutcome>;

/** Requests that the real service sends 10 minutes earlier or later. */
const tenMinutes = 600;

const largeBytes = 65_536;

/** Twelve intervals of 200 ms. */
const slowPace = { pieces: 13, intervalMs: 200 };

const outcome = (
  classified: Classified,
  posted: readonly Posted[],
  ...rewards: { id: string; expected: number }[]
): CheckOutcome => ({
  ...classified,
  steps: stepsOf(posted),
  rewards,
});

/** A genuine `reward.issue`, varied, that must be accepted. */
function genuine(
  vary: (context: CheckContext, event: SampleEvent) => Variation & { event?: SampleEvent } = () => ({}),
  severity?: CheckStatus,
): Run {
  return async (context) => {
    const id = sampleId('rwd');
    const issue = rewardEvent('reward.issue', id, context.sample);
    const { event = issue, ...variation } = vary(context, issue);
    const posted = [await context.post(event, variation)];
    return outcome(acceptedAll(posted, severity), posted, { id, expected: 1 });
  };
}

/** A `reward.issue` that must be refused. */
function forged(vary: (event: SampleEvent) => Variation, severity?: CheckStatus): Run {
  return async ({ post, sample }) => {
    const id = sampleId('rwd');
    const event = rewardEvent('reward.issue', id, sample);
    const posted = await post(event, vary(event));
    return outcome(refused(posted, severity), [posted], { id, expected: 0 });
  };
}

/** The two signatures of a request: hexadecimal digits, and base64. */
type Signatures = { hex: string; base64: string };

/** Requests whose two signatures are both derived from the right ones, in several ways. Each must be refused. */
function derived(derivations: ((right: Signatures) => Signatures)[], severity?: CheckStatus): Run {
  return async ({ post, sample }) => {
    const id = sampleId('rwd');
    const event = rewardEvent('reward.issue', id, sample);
    const posted = await Promise.all(
      derivations.map((derive) => post(event, { alter: (request) => withDerived(request, derive) })),
    );
    return outcome(refusedAll(posted, severity), posted, { id, expected: 0 });
  };
}

function withDerived(request: OutgoingRequest, derive: (right: Signatures) => Signatures): OutgoingRequest {
  const headers = new Map(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const contract = headers.get('x-service-signature') ?? '';
  const standard = headers.get('webhook-signature') ?? '';
  // During a rotation there are several.
  const all = standard
    .split(' ')
    .map((one) => derive({ hex: contract.slice('sha256='.length), base64: one.slice('v1,'.length) }));
  return withHeaders(request, {
    'x-service-signature': `sha256=${all[0]?.hex}`,
    'webhook-signature': all.map(({ base64 }) => `v1,${base64}`).join(' '),
  });
}

const signatureBytes = 32;

/** The signatures with another byte at a position. */
const withByteChanged =
  (at: number) =>
  ({ hex, base64 }: Signatures): Signatures => {
    const digits = (Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16) ^ 1).toString(16).padStart(2, '0');
    const characters = Array.from(atob(base64));
    characters[at] = String.fromCharCode((characters[at]?.charCodeAt(0) ?? 0) ^ 1);
    return { hex: hex.slice(0, 2 * at) + digits + hex.slice(2 * at + 2), base64: btoa(characters.join('')) };
  };

/** The beginning of the signatures, without the padding of base64. */
const cutTo =
  (hexDigits: number, characters: number) =>
  ({ hex, base64 }: Signatures): Signatures => ({
    hex: hex.slice(0, hexDigits),
    base64: base64.slice(0, characters),
  });

const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Requests one after the other, of which each must be accepted; `expected` grants remain. */
function inSequence(
  requests: (context: CheckContext, rewardId: string) => (() => Promise<Posted>)[],
  expected: number,
  repeats: boolean,
): Run {
  return async (context) => {
    const id = sampleId('rwd');
    const posted: Posted[] = [];
    for (const request of requests(context, id)) posted.push(await request());
    const [first, ...others] = posted;
    const duplicate = others.find(({ answer }) => answer.result === 'response' && !isSuccess(answer));
    const reward = { id, expected };
    if (repeats && first && isSuccess(first.answer) && duplicate) {
      const { status } = slowest([duplicate]);
      return outcome({ status: 'failed', finding: found('duplicate_refused', { status }) }, posted, reward);
    }
    return outcome(acceptedAll(posted), posted, reward);
  };
}

/** A request without some headers, or with others. */
function withHeaders(request: OutgoingRequest, changes: Record<string, string | undefined>): OutgoingRequest {
  const lower = new Map(Object.entries(changes).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => {
      const key = name.toLowerCase();
      if (!lower.has(key)) return [[name, value]];
      const changed = lower.get(key);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
  return { ...request, headers };
}

const withText = (request: OutgoingRequest, text: string): OutgoingRequest => ({
  ...request,
  body: new TextEncoder().encode(text),
});

const unsigned = (request: OutgoingRequest): OutgoingRequest =>
  withHeaders(request, { 'x-service-signature': undefined, 'webhook-signature': undefined });

const nowSeconds = (): string => String(Math.floor(Date.now() / 1000));

/** The first round opens the connections; the copies of the others arrive closer together. */
const rounds = 3;

async function runConcurrent({ post, sample }: CheckContext): Promise<CheckOutcome> {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const copies = [one, one, one, other, other];
  const posted: Posted[] = [];
  const rewards: { id: string; expected: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const id = sampleId('rwd');
    const event = rewardEvent('reward.issue', id, sample);
    rewards.push({ id, expected: 1 });
    const answers = await Promise.all(copies.map((deliveryId) => post(event, { deliveryId })));
    posted.push(...answers);
    if (!answers.some(({ answer }) => isSuccess(answer))) break;
  }
  const failed = posted.filter(({ answer }) => !isSuccess(answer));
  // One of each round was accepted, and the others would be sent again: no reward is lost, but it takes longer.
  const wasAccepted = posted.slice(-copies.length).some(({ answer }) => isSuccess(answer));
  if (failed.length > 0 && wasAccepted && failed.every(({ answer }) => answer.result === 'response')) {
    const { status } = slowest(failed);
    const finding = found('copy_refused', { status, count: failed.length, total: posted.length });
    return outcome({ status: 'warning', finding }, posted, ...rewards);
  }
  return outcome(acceptedAll(posted), posted, ...rewards);
}

async function runSlowBody(context: CheckContext): Promise<CheckOutcome> {
  const result = await genuine(() => ({ pace: slowPace }))(context);
  const sending = (slowPace.pieces - 1) * slowPace.intervalMs;
  const [{ status, ms } = { status: null, ms: 0 }] = result.steps;
  // Timers are exact to some milliseconds.
  const early = status !== null && status >= 200 && status < 300 && ms < sending - 100;
  if (!early) return result;
  return { ...result, status: 'failed', finding: found('answered_early', { status, ms, sending }) };
}

async function runKeepAlive({ post, sample }: CheckContext): Promise<CheckOutcome> {
  const id = sampleId('rwd');
  const issue = (rewardId: string) => rewardEvent('reward.issue', rewardId, sample);
  // The first one may have to replace a connection that is too old.
  const first = await post(issue(sampleId('rwd')));
  const refusal = await post(issue(sampleId('rwd')), { alter: unsigned, once: true });
  const last = await post(issue(id), { once: true });
  const posted = [first, refusal, last];
  const reward = { id, expected: 1 };
  const broke = last.answer.retriedOnNewConnection === true;
  if ((broke || !isSuccess(last.answer)) && isSuccess(first.answer)) {
    const status = broke ? 'a reset' : (last.step.status ?? last.step.error ?? '–');
    return outcome({ status: 'failed', finding: found('reuse_failed', { status }) }, posted, reward);
  }
  const classified = acceptedAll([first, last]);
  if (classified.status !== 'passed' || last.answer.connectionReused)
    return outcome(classified, posted, reward);
  return outcome({ status: 'passed', finding: found('not_reused', slowest([first, last])) }, posted, reward);
}

/** What each check sends, and how its answers are classified. */
export const checkRunners: Record<CheckId, Run> = {
  valid: genuine(),
  ping: async ({ post, sample }) => {
    const posted = [await post(sampleEvent('webhook.ping', {}, sample))];
    return outcome(acceptedAll(posted), posted);
  },
  revoked: inSequence(
    ({ postReward, sample }, id) => [
      () => postReward('reward.issue', id, sample),
      () => postReward('reward.revoke', id, sample),
    ],
    0,
    false,
  ),
  test_side: async ({ post, sample }) => {
    const id = sampleId('rwd');
    const posted = [await post({ ...rewardEvent('reward.issue', id, sample), mode: 'test' })];
    return outcome(acceptedAll(posted, 'warning'), posted, { id, expected: 0 });
  },
  test_event: async ({ post, sample }) => {
    const id = sampleId('rwd');
    const posted = [await post(rewardEvent('reward.issue', id, { ...sample, asLive: false }))];
    return outcome(acceptedAll(posted), posted, { id, expected: 0 });
  },
  repeated: inSequence(
    ({ post, sample }, id) => {
      const event = rewardEvent('reward.issue', id, sample);
      const deliveryId = crypto.randomUUID();
      return [() => post(event, { deliveryId }), () => post(event, { deliveryId, attempt: 2 })];
    },
    1,
    true,
  ),
  redelivered: inSequence(
    ({ post, sample }, id) => {
      const event = rewardEvent('reward.issue', id, sample);
      return [() => post(event), () => post(event)];
    },
    1,
    true,
  ),
  concurrent: runConcurrent,
  reordered: inSequence(
    ({ postReward, sample }, id) => [
      () => postReward('reward.revoke', id, sample),
      () => postReward('reward.issue', id, sample),
    ],
    0,
    false,
  ),
  unsigned: forged(() => ({ alter: unsigned })),
  malformed: forged(() => ({
    alter: (request) =>
      withHeaders(request, { 'x-service-signature': 'sha256=0', 'webhook-signature': 'v1,' }),
  })),
  altered_signature: derived([0, signatureBytes / 2, signatureBytes - 1].map(withByteChanged)),
  // One character, half, and all but one byte.
  short_signature: derived([cutTo(1, 1), cutTo(32, 22), cutTo(62, 42)]),
  // In hexadecimal another case is the same signature, so that one has another byte.
  swapped_case: derived([
    (right) => ({ hex: withByteChanged(0)(right).hex.toUpperCase(), base64: swapCase(right.base64) }),
  ]),
  other_spelling: derived(
    [
      ({ hex, base64 }) => ({ hex: hex.toUpperCase(), base64: base64.replaceAll('=', '') }),
      ({ hex, base64 }) => ({ hex: `${hex}00`, base64: `${base64}AA` }),
      ({ hex, base64 }) => ({ hex: `${hex},x`, base64: `${base64},x` }),
    ],
    'warning',
  ),
  wrong_secret: forged(() => {
    const secret = unknownSecret();
    return { signing: { primary: secret, all: [secret] } };
  }),
  empty_secret: forged(() => ({ signing: emptySecret })),
  altered_body: forged((event) => ({
    alter: (request) => withText(request, JSON.stringify(event).replace('"amount":1,', '"amount":9,')),
  })),
  altered_bytes: forged((event) => ({
    alter: (request) => withText(request, JSON.stringify(event).replace('{', '{ ')),
  })),
  altered_id: forged(() => ({
    alter: (request) => {
      const id = crypto.randomUUID();
      return withHeaders(request, { 'webhook-id': id, 'x-service-delivery': id });
    },
  })),
  altered_timestamp: forged(() => ({
    seconds: -tenMinutes,
    alter: (request) => withHeaders(request, { 'webhook-timestamp': nowSeconds() }),
  })),
  stale: forged(() => ({ seconds: -tenMinutes })),
  future: forged(() => ({ seconds: tenMinutes })),
  without_timestamp: forged(
    () => ({
      alter: (request) =>
        withHeaders(request, {
          'webhook-id': undefined,
          'webhook-timestamp': undefined,
          'webhook-signature': undefined,
        }),
    }),
    'warning',
  ),
  other_json: genuine((_context, event) => ({ text: inOtherNotation(event) })),
  header_case: genuine(() => ({
    alter: (request) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [swapCase(name), value]),
      ),
    }),
  })),
  extra_fields: genuine((_context, event) => {
    const added = { certify_field: { nested: [1, 'two', null] } };
    return { event: { ...event, ...added, data: { ...event.data, ...added } } };
  }),
  unknown_type: async ({ post, sample }) => {
    const posted = [
      await post(sampleEvent('certify.unknown_type', { note: 'a type of the future' }, sample)),
    ];
    return outcome(acceptedAll(posted, 'warning'), posted);
  },
  rotation_before: genuine(({ signing }) => ({
    signing: { primary: signing.primary, all: [unknownSecret(), ...signing.all] },
  })),
  rotation_after: genuine(({ signing }) => {
    const newest = unknownSecret();
    return { signing: { primary: newest, all: [newest, ...signing.all] } };
  }, 'warning'),
  slow_body: runSlowBody,
  large_body: genuine((_context, event) => ({ event: fillUp(event, largeBytes) })),
  keep_alive: runKeepAlive,
};
