import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { readDocument } from '../../web/build/read-document.ts';
import { readReference, referencePath } from '../../web/build/read-reference.ts';

// Prints the documents at the paths in the arguments as JSON, as the build reads them.
const readFile = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const read = (path: string) =>
  path === referencePath ? readReference(readFile, 'en') : readDocument(path, readFile);
console.log(JSON.stringify(process.argv.slice(2).map(read)));
