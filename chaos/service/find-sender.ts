import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Stack } from '@rewardhook/local-stack';

/** Which process of the service has opened a connection to a receiver on 127.0.0.1; undefined when it has ended. Linux says so. */
export function findSender(stack: Stack, { remotePort = 0, localPort = 0 }: Socket): string | undefined {
  const hex = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((one) => one.trim().split(/\s+/))
    .find(([, local, remote]) => local === hex(remotePort) && remote === hex(localPort));
  const link = `socket:[${line?.[9] ?? ''}]`;
  return stack.processes().find(({ pid }) => pid !== undefined && linksOf(pid).includes(link))?.name;
}

/** What the open files of a process are. */
function linksOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      // Closed since it was listed.
      return '';
    }
  });
}
