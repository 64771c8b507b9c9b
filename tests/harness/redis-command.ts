import { connectProducer, disconnect } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/local-stack';
import { testLog } from './test-log.ts';

/** Sends one command to Redis on a new connection, and repeats it until it is answered. */
export async function redisCommand(url: string, command: string, ...args: string[]): Promise<string> {
  const redis = connectProducer(url, testLog);
  try {
    const answer = async () => {
      await waitFor(() => redis.status === 'ready', { everyMs: 5, what: 'a connection' });
      return { text: String(await redis.call(command, ...args)) };
    };
    return (await waitFor(answer, { deadlineMs: 60_000, what: `an answer to ${command}` })).text;
  } finally {
    await disconnect(redis);
  }
}
