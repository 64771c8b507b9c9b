// `npm run -s sbom` prints the software bill of materials of the image, as CycloneDX in JSON: the workspaces and the packages that
// the image has in its node_modules. npm describes them, and findProductionPackages chooses.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProductionPackages, readManifest } from './production-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const referenceOf = (folder) => {
  const { name, version } = readManifest(folder);
  return `${name}@${version}`;
};
const { workspaces, packages } = findProductionPackages(root);
const service = referenceOf(root);
const kept = new Set([service, ...[...workspaces, ...packages].map(referenceOf)]);

const bill = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
// npm takes the name of the folder.
bill.metadata.component.name = readManifest(root).name;
bill.components = bill.components.filter((component) => kept.has(component['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
// The root depends on packages of the tools too.
const own = new Set(workspaces.map(referenceOf));
for (const dependency of bill.dependencies.filter(({ ref }) => ref === service))
  dependency.dependsOn = dependency.dependsOn.filter((other) => own.has(other));

console.log(JSON.stringify(bill, null, 2));
