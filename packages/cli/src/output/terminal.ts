/**
 * Where a command writes, and what it knows about it. Control characters are removed from everything that is written, so that
 * no response can write to the terminal of the user.
 */
export type Terminal = {
  /** Results: the standard output. */
  out: (text: string) => void;
  /** A result as a JSON document, with control characters escaped; `space` as in JSON.stringify. */
  json: (value: unknown, space?: number) => void;
  /** Messages about the command itself: the standard error output. */
  note: (text: string) => void;
  /** Overwrites the line of progress; an empty text clears it. Nothing when the output is not a terminal. */
  progress: (text: string) => void;
  style: Style;
  /** Characters in a line. */
  width: number;
};

/** Colours of a terminal; without colours, the text itself. */
export type Style = Record<'bold' | 'dim' | 'good' | 'bad' | 'warn', (text: string) => string>;

const codes = { bold: [1, 22], dim: [2, 22], good: [32, 39], bad: [31, 39], warn: [33, 39] } as const;

/** Opens a terminal on the standard streams. Colours follow NO_COLOR and FORCE_COLOR (no-color.org). */
export function openTerminal(
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>,
  environment: NodeJS.ProcessEnv,
): Terminal {
  const coloured = environment['FORCE_COLOR']
    ? environment['FORCE_COLOR'] !== '0'
    : !environment['NO_COLOR'] && stdout.isTTY;
  const paint = ([start, end]: readonly [number, number]) =>
    coloured ? (text: string) => `\u001b[${start}m${text}\u001b[${end}m` : (text: string) => text;
  const clean = (text: string): string => withoutControls(text, coloured);
  const out = (text: string): void => void stdout.write(`${clean(text)}\n`);
  return {
    out,
    json: (value, space) => out(escapeControls(JSON.stringify(value, null, space))),
    note: (text) => void stderr.write(`${clean(text)}\n`),
    progress: (text) => {
      if (stderr.isTTY) stderr.write(`\r\u001b[K${clean(text).replaceAll('\n', ' ')}`);
    },
    style: {
      bold: paint(codes.bold),
      dim: paint(codes.dim),
      good: paint(codes.good),
      bad: paint(codes.bad),
      warn: paint(codes.warn),
    },
    width: Math.min(Math.max(stdout.columns || 96, 48), 110),
  };
}

const ownCodes = new Set(Object.values(codes).flatMap((pair) => pair.map((code) => `\u001b[${code}m`)));

/** The text without control characters, except line feeds and, in colour, the codes of {@link Style}. */
function withoutControls(text: string, coloured: boolean): string {
  return text.replaceAll(/\p{Cc}(?:\[\d{1,2}m)?/gu, (found) => {
    if (found.startsWith('\n') || (coloured && ownCodes.has(found))) return found;
    return found.slice(1);
  });
}

/** JSON.stringify escapes only those below U+0020. */
function escapeControls(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Breaks a text at spaces into lines of at most `width` characters; later lines begin with `indent` spaces. */
export function wrap(text: string, width: number, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - indent) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** The text on one line, of at most `length` characters. */
export function printable(text: string, length = 160): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
