import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mailer } from './open-mailer.ts';

/**
 * For development: writes each mail as a text file, `<time>-<id>.txt`, readable for its owner only since mails hold
 * links that let their reader in. A file is never seen half written.
 */
export function openFolderMailer({ folder, from }: { folder: string; from: string }): Mailer {
  return {
    async send({ to, id, content }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${id}.txt`);
      const text = `From: ${from}\nTo: ${to}\nSubject: ${content.subject}\n\n${content.text}`;
      await writeFile(`${path}.unfinished`, text, { mode: 0o600 });
      await rename(`${path}.unfinished`, path);
    },
  };
}
