import { commands } from '../commands.ts';
import { nextSteps } from '../next-steps.ts';
import type { ParsedCommand } from '../parse-command-line.ts';
import { formatDocument, printable } from './format-document.ts';

/** The result of a command as text for a terminal: its document, given as JSON, and what to do next. */
export function formatResult(
  { command, options, dryRun }: Pick<ParsedCommand, 'command' | 'options' | 'dryRun'>,
  json: string,
  columns: number,
): string {
  const document: unknown = JSON.parse(json);
  const [words = ''] = Object.entries(commands).find(([, known]) => known === command) ?? [];
  const next =
    dryRun && command.preview
      ? 'Nothing was changed. Run it without --dry-run to do this.'
      : nextSteps[words];
  const named = { ...options, ...(document as object) };
  return `${formatDocument(json, columns)}\n\nNext: ${fill(next ?? '', named)}\n`;
}

/** Replaces `{merchant}` by the value of this option or field, and by `…` where it has none. */
const fill = (text: string, values: Record<string, unknown>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' ? printable(value) : '…';
  });
