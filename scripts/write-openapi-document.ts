import { writeFileSync } from 'node:fs';
import { publishedDocument } from '../apps/api/src/openapi/document.ts';

// `npm run openapi:document` writes docs/openapi.json, after a change of routes, fields or answers.
const path = new URL('../docs/openapi.json', import.meta.url);
writeFileSync(path, publishedDocument());
console.log('docs/openapi.json is written');
