import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages that only the exporter of traces loads. */
const forTraces = ['exporter-trace-otlp-http', 'resources', 'sdk-trace-base'].map(
  (name) => `@opentelemetry/${name}`,
);
/** Workspaces that production code does not import (see .dependency-cruiser.cjs). */
const forDevelopment = ['packages/local-stack', 'packages/testing'];

export const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The folders of what the processes load from `root`: the workspaces, and the packages that they depend on, directly or not.
 * OPENTELEMETRY=false leaves out what exports traces.
 *
 * npm cannot say this: `npm sbom --omit=dev` leaves out a package that anything needs for development, such as `pg`, and
 * `npm prune --omit=dev` keeps the optional peers of `@prisma/client`.
 */
export function findProductionPackages(root) {
  const leftOut = process.env.OPENTELEMETRY === 'false' ? forTraces : [];
  const packages = new Set();
  const visit = (name, from) => {
    if (name.startsWith('@rewardhook/') || leftOut.includes(name)) return;
    const folder = findPackage(name, from);
    // Without a folder it is an optional dependency for another platform.
    if (!folder || packages.has(folder)) return;
    packages.add(folder);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      readManifest(folder);
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => !peerDependenciesMeta?.[peer]?.optional,
    );
    for (const next of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      visit(next, folder);
  };
  const workspaces = ['apps', 'packages']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((path) => existsSync(join(root, path, 'package.json')) && !forDevelopment.includes(path))
    .map((path) => join(root, path));
  for (const workspace of workspaces)
    for (const name of Object.keys(readManifest(workspace).dependencies ?? {})) visit(name, workspace);
  return { workspaces, packages: [...packages] };
}

function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}
