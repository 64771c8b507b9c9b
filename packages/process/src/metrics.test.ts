import { openMetrics } from './metrics.ts';

describe('Gauges that read a source', () => {
  it('have no value while the source fails, is undefined or does not answer, and the other metrics have theirs', async () => {
    const metrics = openMetrics();
    let fault = false;
    const read = () => {
      if (fault) throw new Error('no route');
      return 7;
    };
    metrics.gauge('one', 'One', read);
    metrics.gauges('many', 'Many', ['queue'], () => [{ labels: { queue: 'sync' }, value: read() }]);
    metrics.gauge('unknown', 'Unknown', () => undefined);
    metrics.gauge('other', 'Other', () => 1);
    const values = async () =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('rewardhook_'));
    expect(await values()).toEqual([
      'rewardhook_one 7',
      'rewardhook_many{queue="sync"} 7',
      'rewardhook_other 1',
    ]);
    fault = true;
    expect(await values()).toEqual(['rewardhook_other 1']);
  });
});
