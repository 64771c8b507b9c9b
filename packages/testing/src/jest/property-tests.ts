import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The test files under these folders, apart from the long ones, that use `propertyCases`. */
export function findPropertyTests(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name === 'node_modules' || entry.name === 'dist' ? [] : findPropertyTests([path]);
      const isTest = entry.name.endsWith('.test.ts') && !entry.name.endsWith('.e2e.test.ts');
      return isTest && readFileSync(path, 'utf8').includes('propertyCases(') ? [path] : [];
    }),
  );
}
