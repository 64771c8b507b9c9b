/** The most lines of pasted headers, and the most characters of a line: more than any webhook has. */
export const maxHeaderLines = 200;
export const maxHeaderLine = 4_096;

/** Whether pasted headers stay within {@link maxHeaderLines} and {@link maxHeaderLine}. */
export function headersFit(pasted: string): boolean {
  const lines = linesOf(pasted);
  return lines.length <= maxHeaderLines && lines.every((line) => line.length <= maxHeaderLine);
}

/**
 * Parses pasted headers: lines of `Name: value`, also as curl (`< name: value`) and JSON (`"name": "value",`) print
 * them; or only a signature. Names are converted to lower case. Takes linear time for any text.
 */
export function parseHeaders(pasted: string): Map<string, string> {
  const headers = new Map<string, string>();
  const bare = pasted.trim();
  if (/^sha256=\S*$/.test(bare)) return headers.set('x-service-signature', bare);
  for (const line of linesOf(pasted)) {
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const name = withoutEnds(line.slice(0, colon), ' \t<>{"\'');
    if (/^[\w-]+$/.test(name))
      headers.set(name.toLowerCase(), withoutEnds(line.slice(colon + 1), ' \t,}"\''));
  }
  return headers;
}

function linesOf(pasted: string): string[] {
  return pasted.trim().split(/\r?\n/);
}

/** The text without the given characters at its two ends. */
function withoutEnds(text: string, characters: string): string {
  let [start, end] = [0, text.length];
  while (start < end && characters.includes(text.charAt(start))) start += 1;
  while (end > start && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
