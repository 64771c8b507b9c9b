// Reads Kubernetes objects with the modules of their schemas from stdin, [{module, object}], and prints what the schemas
// refuse, a JSON array of lines. A program, because these packages are ES modules, which the tests cannot load.
import { text } from 'node:stream/consumers';

const problems = [];
for (const { module, object } of JSON.parse(await text(process.stdin))) {
  const name = `${object.kind} ${object.metadata.name}`;
  const Model = (await import(module))[object.kind];
  if (!Model) {
    problems.push(`${name}: ${module} has no ${object.kind}`);
    continue;
  }
  try {
    new Model(object).validate();
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}
console.log(JSON.stringify(problems));
