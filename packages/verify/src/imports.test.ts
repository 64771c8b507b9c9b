import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a file imports from outside this folder, directly and through others. */
function importsOf(entry: string): string[] {
  const visited = new Set<string>();
  const outside = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(
      /^(?:import|export|\}).*from '([^']+)'/gm,
    )) {
      if (from.startsWith('.')) visit(join(dirname(path), from));
      else outside.add(from);
    }
  };
  visit(join(import.meta.dirname, entry));
  expect(visited.size).toBeGreaterThan(4);
  return [...outside].toSorted();
}

describe('@rewardhook/verify', () => {
  it.each(['index.ts', 'express.ts', 'fastify.ts'])('%s imports nothing but node:crypto', (entry) => {
    expect(importsOf(entry)).toEqual(['node:crypto']);
  });

  it.each(['edge.ts', 'next.ts'])('%s imports nothing of Node, so that edge runtimes run it', (entry) => {
    expect(importsOf(entry)).toEqual([]);
  });
});
