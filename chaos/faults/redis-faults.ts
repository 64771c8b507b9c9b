import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { Redis } from 'ioredis';
import type { Service } from '../service/open-service.ts';
import type { Fault } from './fault.ts';

/** Sends one command to Redis on a connection of its own. */
async function command(service: Service, name: string, ...args: string[]): Promise<string> {
  const redis = new Redis(service.stack.redisUrl, { maxRetriesPerRequest: null, lazyConnect: true });
  // Another fault may have ended Redis; the client connects again until it answers.
  redis.on('error', () => undefined);
  try {
    return String(await redis.call(name, ...args));
  } finally {
    redis.disconnect();
  }
}

/**
 * Empties Redis while no request is in flight and `sync` has nothing to do: then everything that was accepted is in PostgreSQL. From then on
 * order versions continue above its ceiling.
 */
export const emptyRedis: Fault = {
  name: 'empty-redis',
  weight: 2,
  alone: true,
  async inject(service) {
    const release = await service.senders.hold();
    try {
      const isIdle = async () => {
        const { document } = await service.tryAdmin('doctor');
        const { promises } = (document ?? {}) as { promises?: { stored: { requests: number } } };
        return promises?.stored.requests === 0;
      };
      await waitFor(isIdle, { deadlineMs: 120_000, everyMs: 500, what: 'the end of all sync jobs' });
      await service.fault('empty-redis', 'redis', 'FLUSHALL', async () => {
        await command(service, 'FLUSHALL');
      });
    } finally {
      release();
    }
  },
};

/**
 * Limits the memory of Redis to what it uses divided by `share`, calls `meanwhile`, and lifts the limit: above 1 orders are refused, below 1 that
 * happens when more has arrived.
 */
export async function whileRedisIsFull(
  service: Service,
  share: number,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const used = Number(/^used_memory:(\d+)/m.exec(await command(service, 'INFO', 'memory'))?.[1]);
  const limit = (bytes: number) => command(service, 'CONFIG', 'SET', 'maxmemory', String(Math.round(bytes)));
  await service.fault('fill-redis', 'redis', `to ${Math.round(share * 100)} %`, async () => {
    await limit(used / share);
    try {
      await meanwhile();
    } finally {
      await limit(0);
    }
  });
}

/** Redis is full for some seconds: orders are refused, or workers cannot fetch jobs. */
export const fillRedis: Fault = {
  name: 'fill-redis',
  weight: 2,
  async inject(service, random) {
    const share = random.pick([0.9, 1.2]);
    const ms = random.between(1_000, 6_000);
    await whileRedisIsFull(service, share, () => setTimeout(ms));
  },
};
