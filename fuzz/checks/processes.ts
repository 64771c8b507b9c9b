import { identityOf } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';

/** The processes with their starts: one that was restarted has another. */
export const processesOf = (stack: Stack): string[] =>
  stack.processes().map(({ name, pid }) => `${name} ${identityOf(pid) ?? 'ended'}`);

/** What the metrics of each process say about errors that nothing has caught. */
export async function uncaughtErrors(stack: Stack): Promise<[name: string, number: number][]> {
  const read = async ([name, url]: [string, string]): Promise<[string, number]> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, value] = /^\w*uncaught_errors_total(?:\{[^}]*\})? (\d+)/m.exec(text) ?? [];
    if (value === undefined) throw new Error(`${name} does not count uncaught errors`);
    return [name, Number(value)];
  };
  return Promise.all(Object.entries(stack.healthUrls).map(read));
}
