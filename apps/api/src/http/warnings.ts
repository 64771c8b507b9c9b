import type { ServerResponse } from 'node:http';
import { noteWarnings } from '@rewardhook/process';

/** `warnings` of a response, which the access line names too; nothing when there are none. */
export function warningsField(
  response: ServerResponse,
  warnings: Record<string, string> = {},
): { warnings?: Record<string, string> } {
  if (Object.keys(warnings).length === 0) return {};
  noteWarnings(response, warnings);
  return { warnings };
}
