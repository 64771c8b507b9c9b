import { mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Reports the link of each mail that is written to a folder from now on, such as that of a sign-up, until the signal. Mails appear
 * in the folder when they are complete.
 */
export function watchMailLinks(
  folder: string,
  signal: AbortSignal,
  report: (mail: { to: string; link: string }) => void,
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const seen = new Set<string>();
  watch(folder, { signal }, (_event, name) => {
    if (!name?.endsWith('.txt') || seen.has(name)) return;
    seen.add(name);
    const text = readFileSync(join(folder, name), 'utf8');
    const [, to] = /^To: (.+)$/m.exec(text) ?? [];
    const [link] = /https?:\/\/\S+/.exec(text) ?? [];
    if (to !== undefined && link !== undefined) report({ to, link });
  });
}
