import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

describe('@rewardhook/webhook/verify', () => {
  it('imports nothing but node:crypto', () => {
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
    visit(join(import.meta.dirname, 'index.ts'));
    expect(visited.size).toBeGreaterThan(5);
    expect([...outside].sort()).toEqual(['node:crypto']);
  });
});
