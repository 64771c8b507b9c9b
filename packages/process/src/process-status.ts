import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a process reports about itself with its heartbeat. */
export interface ProcessStatus {
  /** Random; another one at each start. */
  id: string;
  /** The name of the process, such as `webhook-delivery`. */
  process: string;
  host: string;
  pid: number;
  /** The version of Rewardhook. */
  version: string;
  /** Fingerprints of the keys in SECRETS_KEY, the one that seals first; empty for a process without it. */
  secretsKeys: string[];
  /** `wrong_key`: SECRETS_KEY does not open the stored secrets. */
  problem?: 'wrong_key' | undefined;
}

/** The status of this process at its start. */
export function openProcessStatus(name: string): ProcessStatus {
  return {
    id: randomUUID(),
    process: name,
    host: hostname(),
    pid: process.pid,
    version: readVersion(),
    secretsKeys: [],
  };
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
