import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { format } from 'prettier';
import { withTables } from './tables.ts';

// Writes the tables of docs/reliability.md from the code: npm run docs:reliability
const file = join(projectRoot, 'docs/reliability.md');
const text = withTables(readFileSync(file, 'utf8'));
writeFileSync(file, await format(text, { parser: 'markdown' }));
