import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';

/** The probable encoding of bytes that are not UTF-8, as a phrase: "probably CP949 or EUC-KR". */
export function describeEncoding(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'it is UTF-16';
  if (first === 0xfe && second === 0xff) return 'it is UTF-16, big-endian';
  // TextDecoder of Node knows EUC-KR without the additions of Windows code page 949, so the form of its characters is checked.
  const rest = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\u0081-\u00fe][A-Za-z\u0081-\u00fe]/g, '');
  return /[\u0080-\u00ff]/.test(rest) ? 'its encoding is unknown' : 'probably CP949 or EUC-KR';
}

/**
 * Says what is wrong with the first argument of a command that was not UTF-8 or lost characters on its way, as in a console with
 * another code page; undefined when there is none. Node has U+FFFD in their place. `bytes` are the arguments as the system
 * passed them, each ended by a NUL.
 */
export function describeDamagedArgument(
  words: readonly string[],
  bytes: Uint8Array = readArgumentBytes(),
): string | undefined {
  const damaged = words.find((word) => word.includes('\ufffd'));
  if (damaged === undefined) return undefined;
  const passed = argumentsIn(bytes).find((argument) => argument.toString() === damaged);
  // A program between, such as npm, has decoded the argument: its bytes are not known any more.
  const problem =
    passed && !isUtf8(passed)
      ? `is not UTF-8 (${describeEncoding(passed)})`
      : 'has lost characters (U+FFFD): it was probably CP949, or another encoding than UTF-8';
  return `The argument "${damaged}" ${problem}. Switch your terminal to UTF-8 (on Windows: chcp 65001), and run the command again.`;
}

/** Only Linux has them. */
const readArgumentBytes = (path = '/proc/self/cmdline'): Uint8Array =>
  existsSync(path) ? readFileSync(path) : new Uint8Array();

function argumentsIn(bytes: Uint8Array): Buffer[] {
  const found: Buffer[] = [];
  const buffer = Buffer.from(bytes);
  for (let start = 0; start < buffer.length;) {
    const end = buffer.indexOf(0, start);
    const until = end === -1 ? buffer.length : end;
    found.push(buffer.subarray(start, until));
    start = until + 1;
  }
  return found;
}
