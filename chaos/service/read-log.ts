import { existsSync, readFileSync } from 'node:fs';
import type { Stack } from '@rewardhook/local-stack';

/** How much a process has written to its log, in bytes. */
export const sizeOfLog = (stack: Stack, name: string): number => readLog(stack, name).length;

/** The lines that a process has written to its log since it had a size. */
export function linesOfLog(stack: Stack, name: string, since: number): string[] {
  const text = readLog(stack, name).subarray(since).toString();
  return text.split('\n').filter((line) => line !== '');
}

/** The log of a process. It is created with its first line. */
function readLog(stack: Stack, name: string): Buffer {
  const path = stack.logPath(name);
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}
