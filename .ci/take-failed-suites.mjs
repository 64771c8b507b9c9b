// Takes the failed suites out of a result of jest (--json), and prints their paths. Argument: the file of the result.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const [path] = process.argv.slice(2);
const run = JSON.parse(readFileSync(path, 'utf8') || '{}');
const failed = (run.testResults ?? []).filter(({ status }) => status === 'failed');
if (failed.length === 0) throw new Error('jest failed, but none of its suites');
for (const { assertionResults } of failed)
  run.numPassedTests -= assertionResults.filter(({ status }) => status === 'passed').length;
Object.assign(run, { numFailedTests: 0, numFailedTestSuites: 0, numRuntimeErrorTestSuites: 0 });
if (run.numPassedTests > 0) writeFileSync(path, JSON.stringify(run));
else rmSync(path);
console.log(failed.map(({ name }) => relative('.', name)).join(' '));
