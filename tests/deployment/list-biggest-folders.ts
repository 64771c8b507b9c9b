import { execFileSync } from 'node:child_process';

/**
 * A folder and the biggest folders in it, the biggest first, each with its size on the disk in MB (`du -m`) and its path.
 * @param depth of the folders that are looked at
 */
export function listBiggestFolders(
  folder: string,
  { depth, count }: { depth: number; count: number },
): [megabytes: number, path: string][] {
  const output = execFileSync('du', ['-m', '-d', String(depth), '.'], { cwd: folder, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((line): [number, string] => [Number.parseInt(line, 10), line.split('\t')[1] ?? ''])
    .toSorted(([one], [other]) => other - one)
    .slice(0, count);
}
