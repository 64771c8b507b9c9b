import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@rewardhook/local-stack';
import { temporaryFolder } from '@rewardhook/testing';
import { openAccessLog } from './access-log.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('The access log of a server', () => {
  const path = join(folder.path, 'api.log');
  const log = openAccessLog({ logPath: () => path } as unknown as Stack, ['api']);
  const line = (requestId: string, message = 'request') => `${JSON.stringify({ message, requestId })}\n`;
  const idsOf = async (...requestIds: string[]) => [...(await log.read(requestIds)).keys()];

  it('is read to its end, without other lines', async () => {
    appendFileSync(path, `(node:1) Warning\n${line('a')}${line('-', 'orders stored')}${line('b')}`);
    expect(await idsOf('a')).toEqual(['a', 'b']);
  });

  it('is read from there on when it goes on in a new file, also in the middle of a line', async () => {
    appendFileSync(path, line('c') + line('d').slice(0, 10));
    renameSync(path, `${path}.1`);
    appendFileSync(path, line('d').slice(10) + line('e'));
    expect(await idsOf('d')).toEqual(['c', 'd', 'e']);
  });

  it('is awaited until it has the lines of the requests', async () => {
    const reading = idsOf('f');
    appendFileSync(path, line('f'));
    expect(await reading).toEqual(['f']);
  });
});
