import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/client.ts';

/** Prisma's client without what works on a loaded client only. */
export type Prisma = Omit<PrismaClient, '$on' | '$extends'>;

type Methods = Record<string, (...values: unknown[]) => Promise<unknown>>;

/**
 * Returns an object that also has Prisma's models and `$…` methods. Prisma is loaded with the first call: a process that
 * only runs SQL, as the workers do, never has it and its query compiler in memory (decision 011). Each call begins at
 * once and returns a promise, so `$transaction` takes a function and no list of calls.
 */
export function withPrisma<Own extends object>(own: Own, load: () => Promise<PrismaClient>): Prisma & Own {
  const callClient =
    (method: string) =>
    async (...values: unknown[]) => {
      const client = (await load()) as unknown as Methods;
      if (!client[method]) throw new TypeError(`Prisma has no method ${method}`);
      return client[method](...values);
    };
  const callModel =
    (model: string, method: string) =>
    async (...values: unknown[]) => {
      const methods = ((await load()) as unknown as Record<string, Methods>)[model];
      if (!methods?.[method]) throw new TypeError(`Prisma has no model ${model} with a method ${method}`);
      return methods[method](...values);
    };
  // With `then` it would be a promise for `await`.
  const isName = (name: string | symbol) => typeof name === 'string' && name !== 'then';
  const modelOf = (model: string) =>
    new Proxy({}, { get: (_, method) => (isName(method) ? callModel(model, String(method)) : undefined) });
  return new Proxy(own, {
    get(target, name) {
      if (name in target || !isName(name)) return Reflect.get(target, name);
      return String(name).startsWith('$') ? callClient(String(name)) : modelOf(String(name));
    },
  }) as Prisma & Own;
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
