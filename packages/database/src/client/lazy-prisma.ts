import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/client.ts';

type Methods = Record<string, ((...values: unknown[]) => Promise<unknown>) | undefined>;

/**
 * Adds Prisma's models and `$…` methods to an object. Prisma is loaded with the first call: a process that only runs SQL,
 * as the workers do, never has it and its query compiler in memory (decision 011). Every method returns a promise;
 * a list of calls for `$transaction` is not supported.
 */
export function withPrisma<Own extends object>(
  own: Own,
  load: () => Promise<PrismaClient>,
): Omit<PrismaClient, keyof Own> & Own {
  const callClient =
    (method: string) =>
    async (...values: unknown[]) =>
      ((await load()) as unknown as Methods)[method]?.(...values);
  const callModel =
    (model: string, method: string) =>
    async (...values: unknown[]) =>
      ((await load()) as unknown as Record<string, Methods>)[model]?.[method]?.(...values);
  return new Proxy(own, {
    get(target, name) {
      // With `then` it would be a promise for `await`.
      if (name in target || typeof name !== 'string' || name === 'then') return Reflect.get(target, name);
      if (name.startsWith('$')) return callClient(name);
      return new Proxy({}, { get: (_, method) => callModel(name, String(method)) });
    },
  }) as Omit<PrismaClient, keyof Own> & Own;
}

/** Loads Prisma and opens its client on the pool. Transactions that take longer than `timeoutMs` are rolled back. */
export async function loadPrisma(pool: Pool, timeoutMs: number): Promise<PrismaClient> {
  const [{ PrismaPg }, generated] = await Promise.all([
    import('@prisma/adapter-pg'),
    import('../generated/client.ts'),
  ]);
  return new generated.PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 10_000, timeout: timeoutMs },
  });
}
