import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { applyEdits } from '../defects/apply-edits.ts';
import type { Edit } from '../defects/defect.ts';

/** A copy of this checkout, in which defects are planted. */
export interface Copy {
  folder: string;
  /** Changes files and builds what depends on them. @throws with the output of the compiler */
  plant(edits: readonly Edit[]): Promise<void>;
  /** Undoes what was planted. The next `plant` builds it. */
  undo(): void;
}

/**
 * Copies what git knows and what was built, and links the installed packages: their links to our packages are relative, so they lead to
 * those of the copy.
 */
export function openCopy(folder: string): Copy {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', list, { cwd: projectRoot, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(projectRoot, group)).map((name) => join(group, name)),
  );
  const built = workspaces.flatMap((workspace) =>
    ['dist', 'tsconfig.tsbuildinfo', 'src/generated'].map((name) => join(workspace, name)),
  );
  for (const file of [...files.split('\0'), ...built]) {
    if (file === '' || !existsSync(join(projectRoot, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    // With their times: the compiler builds only what is newer.
    cpSync(join(projectRoot, file), join(folder, file), { recursive: true, preserveTimestamps: true });
  }
  for (const workspace of ['.', ...workspaces]) {
    const installed = join(projectRoot, workspace, 'node_modules');
    if (existsSync(installed))
      execFileSync('cp', ['-al', installed, join(folder, workspace, 'node_modules')]);
  }
  const changed = new Set<string>();
  return {
    folder,
    async plant(edits) {
      for (const [file, text] of applyEdits(folder, edits)) {
        writeFileSync(join(folder, file), text);
        changed.add(file);
      }
      await build(folder);
    },
    undo() {
      for (const file of changed) cpSync(join(projectRoot, file), join(folder, file));
      changed.clear();
    },
  };
}

function build(cwd: string): Promise<void> {
  const child = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the copy could not be built:\n${output}`));
    });
  });
}
