import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

const numbers = new Set(readdirSync(join(projectRoot, 'docs/decisions')).map((name) => name.slice(0, 3)));
const cited = /\b(?:decision |decisions\/)(\d{3})\b/gi;

describe('A decision record', () => {
  it('that a comment, a document or a script cites exists', () => {
    const files = execFileSync(
      'git',
      [
        'grep',
        '-lIE',
        '[Dd]ecision(s/| )[0-9]{3}',
        '--',
        ':!prisma/migrations',
        ':!tests/repository/decisions.test.ts',
      ],
      { cwd: projectRoot, encoding: 'utf8' },
    )
      .trim()
      .split('\n');
    const missing = files.flatMap((path) =>
      [...readFileSync(join(projectRoot, path), 'utf8').matchAll(cited)]
        .filter(([, number = '']) => !numbers.has(number))
        .map(([citation]) => `${path}: ${citation}`),
    );
    expect(missing).toEqual([]);
  });
});
