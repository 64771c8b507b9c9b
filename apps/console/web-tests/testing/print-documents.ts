import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { readDocument } from '../../web/build/read-document.ts';

// Prints the documents at the paths in the arguments as JSON, as the build reads them.
const readFile = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
console.log(JSON.stringify(process.argv.slice(2).map((path) => readDocument(path, readFile))));
