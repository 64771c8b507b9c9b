import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import { serveTask } from '../tasks/serve-task.ts';

export interface PostLoopPlan {
  url: string;
  body: string;
  signingSecret: string;
  deliveries: number;
  connections: number;
}

// Signs and POSTs through one shared undici agent: the contract's headers, no database, no queue, no address checks.
serveTask<PostLoopPlan, null, { perSecond: number }>(async (plan) => {
  const agent = new Agent({ connections: plan.connections, pipelining: 1 });
  const { origin, pathname } = new URL(plan.url);
  const body = Buffer.from(plan.body);
  const post = async () => {
    const headers = {
      'content-type': 'application/json',
      'X-Service-Event': 'reward.issue',
      'X-Service-Delivery': randomUUID(),
      'X-Service-Signature': `sha256=${createHmac('sha256', plan.signingSecret).update(body).digest('hex')}`,
    };
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
  };
  return {
    ready: null,
    async call() {
      let left = plan.deliveries;
      const started = performance.now();
      const connection = async () => {
        while (left > 0) {
          left -= 1;
          await post();
        }
      };
      await Promise.all(Array.from({ length: plan.connections }, connection));
      return { perSecond: plan.deliveries / ((performance.now() - started) / 1_000) };
    },
  };
});
