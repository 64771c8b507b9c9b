import { execFileSync } from 'node:child_process';

/**
 * PostgreSQL refuses to run as root. Under root it runs as `nobody`, which every system has and which is no
 * installed PostgreSQL's user; otherwise as the user we are (undefined).
 */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
