import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { fillPage } from '../bench/document/fill-page.ts';
import { readMeasured } from '../bench/document/measured.ts';

const page = readFileSync(join(projectRoot, 'docs/performance.md'), 'utf8');

/** Without what prettier adds to a table. */
const unformatted = (text: string) => text.replaceAll(/-{3,}/g, '---').replaceAll(/\s+/g, ' ');

describe('docs/performance.md', () => {
  it('has the figures of docs/performance.json, as npm run bench:document writes them', () => {
    expect(unformatted(page)).toBe(unformatted(fillPage(page, readMeasured())));
  });
});
