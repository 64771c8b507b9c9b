import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { killProcess } from './kill-process.ts';
import type { Service } from '../service/open-service.ts';
import type { Fault } from './fault.ts';

/** A command of which the disk got only the beginning. It was not answered: Redis answers what is on the disk. */
const torn = '*3\r\n$3\r\nSET\r\n$10\r\nchaos:torn\r\n$1000\r\nonly the beginning';

/** Kills Redis, and leaves half a command at the end of its append-only file. Redis must drop it, and nothing else. */
export const tearRedisFile: Fault = {
  name: 'torn-file',
  weight: 1,
  alone: true,
  async inject(service) {
    await service.fault('torn-file', 'redis', 'half a command at the end', async () => {
      service.atNextExit('redis', () => appendFileSync(lastFile(service), torn));
      await killProcess(service, 'redis', 'SIGKILL');
    });
  },
};

/** The part of the append-only file that Redis writes to, by its manifest. */
function lastFile({ stack }: Service): string {
  const folder = join(stack.dataDir, 'redis', 'appendonlydir');
  const manifest = readFileSync(join(folder, 'appendonly.aof.manifest'), 'utf8');
  const written = Array.from(manifest.matchAll(/^file (\S+) seq \d+ type i/gm), ([, name = '']) => name);
  const last = written.at(-1);
  if (last === undefined) throw new Error(`the manifest of the append-only file has no part: ${manifest}`);
  return join(folder, last);
}
