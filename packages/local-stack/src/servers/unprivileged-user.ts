import { execFileSync } from 'node:child_process';

/**
 * The user to run PostgreSQL as, which refuses to run as root: under root `nobody`, which every system has and no
 * installed PostgreSQL uses; otherwise the current user (undefined).
 */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
