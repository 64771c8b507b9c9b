import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object, as far as all kinds have the same fields. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  [field: string]: unknown;
}

/** The pod of a workload. */
export interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: {
    priorityClassName?: string;
    automountServiceAccountToken?: boolean;
    securityContext?: object;
    terminationGracePeriodSeconds?: number;
    containers: Container[];
    volumes: Volume[];
  };
}

interface Container {
  args: string[];
  image: string;
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  resources?: { limits?: object; requests?: object };
  securityContext?: object;
  volumeMounts: { name: string; mountPath: string }[];
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } } | undefined;
}

interface Volume {
  name: string;
  projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] };
}

/** A Deployment, Job or CronJob. */
export interface Workload {
  /** `app.kubernetes.io/component`. */
  name: string;
  kind: string;
  pod: PodTemplate;
  container: Container;
  /** The variables of its container, those of its ConfigMaps included. */
  environment: Record<string, string>;
}

/**
 * What `kubectl apply -k` would send.
 * @throws when kubectl has a Kustomize before 5, which does not know all the fields of the manifests
 */
export function buildManifests(folder: string, kubectl = 'kubectl'): KubernetesObject[] {
  const { clientVersion, kustomizeVersion } = JSON.parse(
    execFileSync(kubectl, ['version', '--client', '--output', 'json'], { encoding: 'utf8' }),
  ) as { clientVersion: { gitVersion: string }; kustomizeVersion?: string };
  if (!/^v([5-9]|\d{2,})\./.test(kustomizeVersion ?? ''))
    throw new Error(
      `kubectl ${clientVersion.gitVersion} is too old to render ${folder}, which needs Kustomize 5 (\`labels\`): install ` +
        'version 1.27 or later, from Debian 13 or https://kubernetes.io/docs/tasks/tools/.',
    );
  const output = execFileSync(kubectl, ['kustomize', join(projectRoot, folder)], { encoding: 'utf8' });
  return parseAllDocuments(output).map((document) => document.toJS() as KubernetesObject);
}

/** Every workload with its environment. @throws when it names a ConfigMap that is not there */
export function workloadsOf(objects: KubernetesObject[]): Workload[] {
  const maps = new Map(
    objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata, data }) => [metadata.name, data as Record<string, string>]),
  );
  return objects.flatMap((object) => {
    const pod = podOf(object);
    const container = pod?.spec.containers[0];
    if (!pod || !container) return [];
    const environment: Record<string, string> = {};
    for (const { configMapRef } of container.envFrom ?? []) {
      const data = maps.get(configMapRef.name);
      if (!data) throw new Error(`${object.metadata.name} needs the ConfigMap ${configMapRef.name}`);
      Object.assign(environment, data);
    }
    for (const { name, value = '' } of container.env ?? []) environment[name] = value;
    const name = pod.metadata.labels['app.kubernetes.io/component'] ?? '';
    return [{ name, kind: object.kind, pod, container, environment }];
  });
}

function podOf({ kind, spec }: KubernetesObject): PodTemplate | undefined {
  if (kind === 'Deployment' || kind === 'Job') return (spec as { template: PodTemplate }).template;
  if (kind !== 'CronJob') return undefined;
  return (spec as { jobTemplate: { spec: { template: PodTemplate } } }).jobTemplate.spec.template;
}

/** The paths of the secret files in a container → Secret and key. */
export function secretFilesOf({ pod, container }: Workload): Record<string, string> {
  const files = pod.spec.volumes.flatMap(({ name, projected }) => {
    const folder = container.volumeMounts.find((mount) => mount.name === name)?.mountPath;
    return (projected?.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => [`${folder}/${path}`, `${secret.name}/${key}`] as const),
    );
  });
  return Object.fromEntries(files);
}

/**
 * What the schemas of Kubernetes, KEDA and the Prometheus operator refuse, one line each. The schemas find wrong types and
 * missing fields; the compiler finds fields that do not exist.
 */
export function manifestProblems(objects: KubernetesObject[]): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, ['tests/kubernetes/check-manifests.mjs'], {
    cwd: projectRoot,
    input: JSON.stringify(objects.map((object) => ({ module: moduleOf(object), object }))),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return [...(JSON.parse(stdout) as string[]), ...unknownFields(objects)];
}

/** Packages with the schemas of resources that Kubernetes itself does not have, by API group. */
const packages: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

function moduleOf({ apiVersion }: KubernetesObject): string {
  return `${packages[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;
}

function unknownFields(objects: KubernetesObject[]): string[] {
  const folder = temporaryFolder();
  try {
    symlinkSync(join(projectRoot, 'node_modules'), join(folder.path, 'node_modules'));
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    const lines = objects.map(
      (object, index) =>
        `export const object${index}: import('${moduleOf(object)}').I${object.kind} = ${JSON.stringify(object)};`,
    );
    writeFileSync(join(folder.path, 'manifests.ts'), lines.join('\n'));
    const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, 'manifests.ts'], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    const errors = stdout.split('\n').filter((line) => /error TS/.test(line));
    if (status !== 0 && errors.length === 0) throw new Error(stdout);
    return errors.map((line) => {
      const object = objects[Number(/^manifests\.ts\((\d+),/.exec(line)?.[1]) - 1];
      return `${object?.kind} ${object?.metadata.name}: ${line.replace(/^.*error /, '')}`;
    });
  } finally {
    folder.remove();
  }
}
