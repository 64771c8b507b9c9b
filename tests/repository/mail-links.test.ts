import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitFor } from '@rewardhook/testing';
import { watchMailLinks } from '../../scripts/mail-links.ts';

describe('npm run stack', () => {
  it('reports the link of each mail that is written, once', async () => {
    const folder = temporaryFolder();
    const stopping = new AbortController();
    const reported: object[] = [];
    try {
      const mails = join(folder.path, 'mail');
      watchMailLinks(mails, stopping.signal, (mail) => void reported.push(mail));
      const write = (name: string, text: string) => {
        const path = join(mails, `${name}.txt`);
        writeFileSync(`${path}.unfinished`, text);
        renameSync(`${path}.unfinished`, path);
      };
      write(
        '1',
        'From: a\nTo: tea@shop.example\nSubject: Hi\n\nOpen http://127.0.0.1:3002/sign-ups/abc now.',
      );
      write('2', 'From: a\nTo: none@shop.example\nSubject: Hi\n\nNothing to open.');
      write('3', 'From: a\nTo: ink@shop.example\nSubject: Hi\n\nhttp://127.0.0.1:3002/sign-ups/def');
      const link = (id: string) => `http://127.0.0.1:3002/sign-ups/${id}`;
      await waitFor(() => reported.length >= 2, { what: 'two links' });
      expect(reported).toEqual([
        { to: 'tea@shop.example', link: link('abc') },
        { to: 'ink@shop.example', link: link('def') },
      ]);
    } finally {
      stopping.abort();
      folder.remove();
    }
  });
});
