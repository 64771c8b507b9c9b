import { recordProblems } from '@rewardhook/database/operations';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { ProblemPage } from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
let owner: SignedUpMerchant;
let other: SignedUpMerchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  running = await openConsole(flow.environment);
  [owner, other] = [await running.signUp(), await running.signUp()];
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

const problemsOf = async ({ browser }: SignedUpMerchant, query = '') => {
  const { status, body } = await browser.get(`/problems${query}`);
  expect(status).toBe(200);
  return (body as { data: ProblemPage }).data.items;
};

describe('GET /problems', () => {
  it('A merchant sees its own open problems, and none of others and of the operator', async () => {
    const failing = {
      kind: 'webhook_failing',
      subject: 'whk_1',
      number: 7,
      error: 'status 500',
      failures: 9,
    } as const;
    await recordProblems(
      flow.database,
      [
        { ...failing, merchantId: owner.merchant.id },
        { ...failing, merchantId: other.merchant.id, subject: 'whk_2' },
        { merchantId: '', kind: 'finding', subject: 'redisFull', number: 1, error: null },
      ],
      { kinds: [], findings: [] },
    );
    expect(await problemsOf(owner)).toEqual([
      {
        id: expect.stringMatching(/^prb_/),
        kind: 'webhook_failing',
        subject: 'whk_1',
        opened_at: expect.stringMatching(/Z$/),
        last_seen_at: expect.stringMatching(/Z$/),
        openings: 1,
        number: 7,
        failures: 9,
        oldest_at: null,
        last_error: 'status 500',
        resolved_at: null,
      },
    ]);
    expect(await problemsOf(other)).toMatchObject([{ subject: 'whk_2' }]);
  });

  it('A closed problem is listed only when all are asked for', async () => {
    await flow.database.problem.updateMany({
      where: { merchantId: owner.merchant.id },
      data: { resolvedAt: new Date() },
    });
    expect(await problemsOf(owner)).toEqual([]);
    expect(await problemsOf(owner, '?all=true')).toMatchObject([{ resolved_at: expect.any(String) }]);
  });

  it('Nobody sees problems without signing in', async () => {
    expect((await running.browser().get('/problems')).status).toBe(401);
  });
});
