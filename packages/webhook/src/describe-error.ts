/** Longest message kept with an attempt, in characters. */
const maxMessageLength = 200;

/** One short printable line about an error: its message and code, never a stack. */
export function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = code && !message.includes(code) ? `${message || 'failed'} (${code})` : message;
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, maxMessageLength);
}
