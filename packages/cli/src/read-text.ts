import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { describeEncoding } from '@rewardhook/contract';
import { usageError } from './exit-codes.ts';

/**
 * Reads a text file, or the standard input for `-`.
 * @throws CommandError when it cannot be read, and with the probable encoding when it is not UTF-8
 */
export async function readText(path: string, input: NodeJS.ReadableStream): Promise<string> {
  const name = path === '-' ? 'The input' : path;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? await buffer(input) : await readFile(path);
  } catch (error) {
    throw unreadable(name, error);
  }
  return decodeText(bytes, name);
}

/** As {@link readText}, before anything else happens. */
export function readTextNow(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  return decodeText(bytes, path);
}

/** Bytes of another encoding would be stored as other characters: the ids of members would match nobody. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(
      `${name} is not UTF-8 (${describeEncoding(bytes)}). Save it as UTF-8, and run the command again.`,
    );
  }
}

const unreadable = (name: string, error: unknown): Error =>
  usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
