import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `name@version` of every package in the `node_modules` folders below a folder: the workspaces too. */
export function listPackages(folder: string): string[] {
  const manifests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
  );
  const packages = manifests.map((path) => {
    const manifest = JSON.parse(readFileSync(join(folder, path), 'utf8')) as {
      name: string;
      version: string;
    };
    return `${manifest.name}@${manifest.version}`;
  });
  return [...new Set(packages)].toSorted();
}
