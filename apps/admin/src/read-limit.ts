import { UsageError } from './command.ts';

/** How many rows a list shows at most. @throws UsageError */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1_000))
    throw new UsageError('--limit is a number from 1 to 1000.');
  return limit;
}
