import type { FaultEntry, ReceivedEntry } from '../ledger/entries.ts';
import type { History } from '../ledger/read-history.ts';
import { inFlightLimit, sentOnce } from './deliveries.ts';

/** A request of a delivery from one moment to another, in seconds. */
const request = (delivery: string, from: number, until: number, status = 204): ReceivedEntry => ({
  kind: 'received',
  at: from * 1_000,
  shop: 'shop',
  webhook: 'whk_1',
  body: '',
  headers: { 'x-service-delivery': delivery },
  answeredAt: until * 1_000,
  status,
});

const historyOf = (received: ReceivedEntry[], faults: Partial<FaultEntry>[] = []) =>
  ({ shops: [{ shop: 'shop', received }], faults }) as unknown as History;

const problemsOf = (check: typeof sentOnce, ...given: Parameters<typeof historyOf>) =>
  check.check(historyOf(...given)).violations.map(({ text }) => text);

describe('A delivery', () => {
  it('may be sent again after a failure', () => {
    expect(problemsOf(sentOnce, [request('a', 0, 1, 500), request('a', 6, 7)])).toEqual([]);
  });

  it('is not sent again after a 2xx', () => {
    expect(problemsOf(sentOnce, [request('a', 0, 1), request('a', 6, 7)])).toEqual([
      'delivery a was sent again after a 2xx',
    ]);
  });

  it('is not sent again while a request of it is in flight, whatever its answer is', () => {
    expect(problemsOf(sentOnce, [request('a', 0, 9, 500), request('a', 6, 7)])).toEqual([
      'delivery a was sent again while a request of it was in flight',
    ]);
  });

  it.each([
    ['35 s after a fault', 44, []],
    ['later', 46, ['delivery a was sent again after a 2xx']],
  ])('may be sent again until %s', (_, seconds, problems) => {
    const fault = { at: 5_000, ended: 10_000 };
    const received = [request('a', 0, 1), request('a', seconds, seconds + 1)];
    expect(problemsOf(sentOnce, received, [fault])).toEqual(problems);
  });
});

describe('A webhook', () => {
  const at = (from: number, until: number, number: number, status?: number) =>
    Array.from({ length: number }, (_, index) => request(`${from}-${index}`, from, until, status));

  it('gets four requests at a time at first', () => {
    expect(problemsOf(inFlightLimit, at(0, 1, 4))).toEqual([]);
    expect(problemsOf(inFlightLimit, at(0, 1, 5))).toEqual([
      'whk_1 had 5 requests at a time after 0 successes',
    ]);
  });

  it('gets one more for each success', () => {
    expect(problemsOf(inFlightLimit, [...at(0, 1, 2), ...at(1, 2, 6)])).toEqual([]);
    expect(problemsOf(inFlightLimit, [...at(0, 1, 2, 500), ...at(1, 2, 6)])).toEqual([
      'whk_1 had 5 requests at a time after 0 successes',
    ]);
  });
});
