import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
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
      `${name} is not UTF-8 (${encodingOf(bytes)}). Save it as UTF-8, and run the command again.`,
    );
  }
}

/** @throws CommandError when an argument was no UTF-8 or lost characters on its way, as in a console with another code page */
export function refuseDamagedArguments(words: readonly string[]): void {
  const damaged = words.find((word) => word.includes('\ufffd'));
  if (damaged !== undefined)
    throw usageError(
      `The argument "${damaged}" is not UTF-8. Switch your terminal to UTF-8 (on Windows: chcp 65001), and run the command again.`,
    );
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'it is UTF-16';
  if (first === 0xfe && second === 0xff) return 'it is UTF-16, big-endian';
  // TextDecoder of Node knows EUC-KR without the additions of Windows code page 949, so the form of its characters is checked.
  const rest = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\u0081-\u00fe][A-Za-z\u0081-\u00fe]/g, '');
  return /[\u0080-\u00ff]/.test(rest) ? 'its encoding is unknown' : 'probably CP949 or EUC-KR';
}

const unreadable = (name: string, error: unknown): Error =>
  usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
