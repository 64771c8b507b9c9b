import type { NewRequest, RefusedCount } from '@rewardhook/database';
import { openMetrics } from '@rewardhook/process';
import { openRequestLog } from './request-log.ts';

const log = { warn: () => undefined, error: () => undefined, info: () => undefined };

/** A log with what it has written. */
function openLog() {
  const metrics = openMetrics();
  const rows: NewRequest[] = [];
  const counts: RefusedCount[] = [];
  const requestLog = openRequestLog(
    async (_writer, requests, counted) => {
      rows.push(...requests);
      counts.push(...counted);
      return Promise.resolve();
    },
    { metrics, log },
  );
  const metricOf = async (name: string) =>
    Number(/ (\d+)\n*$/.exec(await metrics.registry.getSingleMetricAsString(`rewardhook_${name}`))?.[1]);
  return { ...requestLog, rows, counts, metricOf };
}

/** A request of a merchant with 20 ids of orders of some length. */
function answered(
  merchantId: string,
  { code = 'invalid_request' as string | null, idLength = 5, hasWarnings = false } = {},
) {
  const keyId = `key of ${merchantId}`;
  const route = 'POST /api/open/orders/sync';
  const describe = (): NewRequest => ({
    ...{ merchantId, keyId, route, code, at: Date.now(), status: 400, size: 10, durationMs: 1 },
    requestId: merchantId,
    errors: [{ path: 'orders[0].order_amount', code: 'too_small', limit: 0 }],
    orderIds: Array.from({ length: 20 }, (_none, index) => `${index}`.padEnd(idLength, 'x')),
    warnings: hasWarnings ? ['unknown_field'] : [],
  });
  return { merchantId, keyId, route, code: code ?? undefined, hasWarnings, describe };
}

describe('The log of requests', () => {
  it.each([
    ['2,000 rows', 5],
    ['1 MiB', 255],
  ])(
    'Of any number of refused requests it holds at most %s, and counts all of them',
    async (_what, idLength) => {
      const { record, stop, rows, counts, metricOf } = openLog();
      for (let number = 0; number < 9_000; number += 1) record(answered(`mer_${number}`, { idLength }));
      const held = await metricOf('request_rows_held_bytes');
      expect(held).toBeGreaterThan(1_000_000 / 2);
      expect(held).toBeLessThanOrEqual(1_048_576);
      await stop();
      expect(rows.length).toBeLessThanOrEqual(2_000);
      expect(rows.length).toBeGreaterThan(50);
      expect(JSON.stringify(rows).length).toBeLessThanOrEqual(held);
      expect(await metricOf('request_rows_dropped_total')).toBe(9_000 - rows.length);
      expect(counts.reduce((sum, { total }) => sum + total, 0)).toBe(9_000);
      expect(await metricOf('request_rows_held_bytes')).toBe(0);
    },
  );

  it('Of one merchant it keeps 100 refused requests a minute, and of each key one other request a second, and one with warnings', async () => {
    const { record, stop, rows, counts } = openLog();
    const startedAt = Date.now();
    for (let number = 0; number < 1_000; number += 1) {
      record(answered('mer'));
      record(answered('mer', { code: null }));
      record(answered('mer', { code: null, hasWarnings: true }));
    }
    await stop();
    // A new minute or second may begin meanwhile.
    const spans = (ms: number) => Math.floor(Date.now() / ms) - Math.floor(startedAt / ms) + 1;
    const refused = rows.filter(({ code }) => code !== null).length;
    expect(refused).toBeGreaterThanOrEqual(100);
    expect(refused).toBeLessThanOrEqual(100 * spans(60_000));
    for (const length of [0, 1]) {
      const others = rows.filter(({ code, warnings }) => code === null && warnings.length === length).length;
      expect(others).toBeGreaterThanOrEqual(1);
      expect(others).toBeLessThanOrEqual(spans(1_000));
    }
    expect(counts.reduce((sum, { total }) => sum + total, 0)).toBe(1_000);
  });
});
