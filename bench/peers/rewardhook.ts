import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Bench } from '../stack/bench.ts';
import { openEndpointGroup } from '../stack/endpoint-group.ts';
import type { System } from './system.ts';

/** The service itself: the process webhook-delivery of the stack, with its default settings. */
export function openRewardhook(bench: Bench, receiverUrl: string): System {
  const worker = bench.stack.processes().find(({ name }) => name === 'webhook-delivery');
  if (!worker) throw new Error('webhook-delivery does not run');
  const added: string[] = [];
  return {
    name: 'Rewardhook',
    pid: worker.pid,
    async addEndpoints({ healthy, hangs }) {
      const counts = { healthy, hangs, others: 0, slow: 0, fails: 0 };
      const group = await openEndpointGroup(bench, receiverUrl, counts, healthy + hangs);
      const healthyOnes = group.all.filter(({ behaviour }) => behaviour === 'healthy');
      const ids = healthyOnes.map(({ endpointId }) => endpointId);
      added.push(...group.all.map(({ endpointId }) => endpointId));
      return {
        async hold(each) {
          await group.insert(group.all, each);
          return () => group.enqueue(group.all);
        },
        send: (each) => group.send(group.all, each),
        async areDone() {
          const pending = `SELECT 1 FROM deliveries WHERE endpoint_id = ANY($1) AND state = 'pending' LIMIT 1`;
          return (await bench.sql.query(pending, [ids])).rowCount === 0;
        },
        times: () => group.healthyTimes(new Date(0)),
      };
    },
    // What the endpoint that hangs still has waiting must not be sent while others are measured.
    async close() {
      await bench.sql.query('UPDATE endpoints SET paused_at = now() WHERE id = ANY($1)', [added]);
      await waitUntilIdle(bench);
    },
  };
}
