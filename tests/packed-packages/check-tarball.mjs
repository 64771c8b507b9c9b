// Checks a tarball with publint and attw, and prints what they find as JSON. A process of its own, because both are ES modules,
// which jest cannot load on Node 20.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const bytes = new Uint8Array(readFileSync(process.argv[2]));
const { messages, pkg } = await publint({ pack: { tarball: bytes.slice().buffer }, strict: true });
const { types, problems = [] } = await checkPackage(createPackageFromTarballData(bytes));
console.log(
  JSON.stringify({
    publint: messages.map((message) => formatMessage(message, pkg)),
    hasTypes: types !== false,
    attw: problems,
  }),
);
