import type { NewNotice } from '@rewardhook/database/stages';
import { createLogger, openMetrics } from '@rewardhook/process';
import { openNoticeLog } from './log-notice.ts';

describe('A notice', () => {
  it('is logged as a warning without the secrets of its URL, and counted by type', async () => {
    const log = createLogger('test', 'info');
    for (const transport of log.transports) transport.silent = true;
    const lines: object[] = [];
    log.on('data', (line: object) => lines.push(line));
    const metrics = openMetrics();
    const logNotice = openNoticeLog(log, metrics);
    const url = 'https://user:pa55@shop.example/hooks?token=s3cret';
    const notice: NewNotice = {
      type: 'endpoint.disabled',
      endpointId: 'whk_1',
      data: {
        endpoint: { id: 'whk_1', url },
        failing_since: '2026-11-21T03:52:00.000Z',
        failures_in_a_row: 12,
        disabled_at: '2026-11-26T03:52:00.000Z',
        reason: `Five days of nothing but failures of ${url}.`,
      },
    };
    logNotice('mer_1', notice);
    logNotice('mer_1', { ...notice, type: 'endpoint.failing' });
    expect(lines).toMatchObject([
      {
        level: 'warn',
        type: 'endpoint.disabled',
        merchantId: 'mer_1',
        endpointId: 'whk_1',
        host: 'shop.example',
      },
      { level: 'warn', type: 'endpoint.failing' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/pa55|s3cret/);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/rewardhook_endpoint_notices_total\{type="endpoint.disabled"\} 1/);
  });
});
