import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@rewardhook/testing';
import { checkUrl } from '@rewardhook/webhook';
import Joi from 'joi';
import { parse } from 'yaml';
import { buildManifests, manifestProblems, secretFilesOf, workloadsOf } from './kubernetes/manifests.ts';
import type { KubernetesObject } from './kubernetes/manifests.ts';
import { environmentDifferences } from './settings/compare-environment.ts';
import { leftOutOfDeployments, longestShutdownSeconds, projectFile } from './settings/deployment-files.ts';
import { schemas, services, settingsOf } from './settings/processes.ts';

jest.setTimeout(60_000);

/** The schema that a workload is compared with: `doctor` is a command of admin. */
const processOf = (name: string) => (name === 'doctor' ? 'admin' : name);
const ofKind = (objects: KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind);

describe('The manifests in ops/kubernetes', () => {
  it('fit the schemas of Kubernetes without an overlay too', () => {
    expect(manifestProblems(buildManifests('ops/kubernetes/base'))).toEqual([]);
  });

  it('have the version of package.json', () => {
    const { version } = JSON.parse(projectFile('package.json')) as { version: string };
    for (const folder of ['base', 'overlays/small', 'overlays/large']) {
      const { images } = parse(projectFile(`ops/kubernetes/${folder}/kustomization.yaml`)) as {
        images: { name: string; newTag: string }[];
      };
      expect(images).toEqual([expect.objectContaining({ name: 'rewardhook', newTag: version })]);
    }
  });

  it('A kubectl that is too old to render them is named, with what to do', () => {
    const folder = temporaryFolder();
    try {
      const kubectl = join(folder.path, 'kubectl');
      // As that of Debian 12 prints it.
      writeFileSync(kubectl, `#!/bin/sh\necho '{"clientVersion": {"gitVersion": "v1.20.2"}}'\n`, {
        mode: 0o755,
      });
      expect(() => buildManifests('ops/kubernetes/base', kubectl)).toThrow(
        'kubectl v1.20.2 is too old to render ops/kubernetes/base, which needs Kustomize 5 (`labels`): install version 1.27',
      );
    } finally {
      folder.remove();
    }
  });
});

describe.each(['small', 'large'])('The manifests of a %s site', (overlay) => {
  const objects = buildManifests(`ops/kubernetes/overlays/${overlay}`);
  const workloads = workloadsOf(objects);
  const each = workloads.map((workload) => [workload.name, workload] as const);
  const eachDeployment = each.filter(([, { kind }]) => kind === 'Deployment');

  it('fit the schemas of Kubernetes, KEDA and the Prometheus operator', () => {
    expect(objects.length).toBeGreaterThan(40);
    expect(manifestProblems(objects)).toEqual([]);
  });

  it('have a workload for each process, the migration and doctor', () => {
    const deployments = workloads.filter(({ kind }) => kind === 'Deployment').map(({ name }) => name);
    expect(deployments.sort()).toEqual([...services].sort());
    expect(workloads.map(({ name, kind }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(['Job migrate', 'CronJob doctor']),
    );
  });

  it.each(each)(
    'give %s every setting that it reads, its secrets as files, and nothing else',
    (name, workload) => {
      const process = processOf(name);
      const given = Object.keys(workload.environment);
      expect(environmentDifferences(process, given, settingsOf(process), leftOutOfDeployments())).toEqual([]);
      const paths = Object.entries(workload.environment).filter(([key]) => key.endsWith('_FILE'));
      expect(paths.map(([, path]) => String(path)).sort()).toEqual(
        Object.keys(secretFilesOf(workload)).sort(),
      );
    },
  );

  it.each(each)('give %s values that it takes', (name, { environment }) => {
    const set = Object.entries(environment).filter(([key, value]) => value !== '' && !key.endsWith('_FILE'));
    const schema = Joi.object(schemas[processOf(name)]);
    const { error } = schema.validate(
      { ...Object.fromEntries(set), NODE_ENV: 'production' },
      { abortEarly: false },
    );
    const refused = error?.details.filter(({ path }) => String(path[0]) in environment) ?? [];
    expect(refused.map(({ message }) => message)).toEqual([]);
  });

  it('contain no Secret, and give the URL of the owner of the schema to the migration only', () => {
    expect(ofKind(objects, 'Secret')).toEqual([]);
    const owners = workloads.filter((workload) =>
      Object.values(secretFilesOf(workload)).some((source) =>
        source.startsWith('rewardhook-database-owner/'),
      ),
    );
    expect(owners.map(({ name }) => name)).toEqual(['migrate']);
  });

  it.each(each)('run %s without rights, within limits and without a token', (_, { pod, container }) => {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const amounts = Object.fromEntries(
      ['cpu', 'memory', 'ephemeral-storage'].map((name) => [name, expect.any(String) as string]),
    );
    expect(container.resources).toEqual({ requests: amounts, limits: amounts });
  });

  it.each(eachDeployment)(
    'probe %s, disrupt one pod at a time, and give it the time that its end takes',
    (name, { pod, container, environment }) => {
      expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
      expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'health' });
      const budget = ofKind(objects, 'PodDisruptionBudget').find(({ metadata }) => metadata.name === name);
      expect(budget?.['spec']).toMatchObject({
        maxUnavailable: 1,
        selector: { matchLabels: { 'app.kubernetes.io/component': name } },
      });
      const delay = Number(environment['SHUTDOWN_DELAY_SECONDS'] ?? 0);
      const longest = longestShutdownSeconds(delay);
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(longest + 2);
    },
  );

  it('let webhooks reach the ports that a webhook URL may have, and mail those of SMTP', () => {
    const allowed = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
      (port) => checkUrl(`https://shop.example:${port}/`, { allowLoopbackHttp: false }).ok,
    );
    expect(portsOf(egressOf(objects, 'public-addresses'))).toEqual(allowed);
    expect(portsOf(egressOf(objects, 'mail'))).toEqual([465, 587]);
    expect(egressOf(objects, 'mail')?.to).toEqual(egressOf(objects, 'public-addresses')?.to);
  });

  it.each(each)('give %s a priority class that they define', (_, { pod }) => {
    const defined = ofKind(objects, 'PriorityClass').map(({ metadata }) => metadata.name);
    expect(defined).toContain(pod.spec.priorityClassName);
  });

  it('let webhooks reach public addresses only, and nothing reach the dashboard', () => {
    const policies = ofKind(objects, 'NetworkPolicy') as (KubernetesObject & { spec: NetworkPolicySpec })[];
    expect(policies.find(({ metadata }) => metadata.name === 'default-deny')?.spec.policyTypes).toEqual([
      'Ingress',
      'Egress',
    ]);
    const blocks = egressOf(objects, 'public-addresses')?.to.map(({ ipBlock }) => ipBlock) ?? [];
    const reaches = (address: string) =>
      blocks.some(
        (block) => inRange(address, block?.cidr) && !block?.except?.some((cidr) => inRange(address, cidr)),
      );
    const refused = ['10.96.0.1', '172.20.0.10', '192.168.1.1', '169.254.169.254', '127.0.0.1', '100.64.0.1'];
    expect(refused.filter(reaches)).toEqual([]);
    expect(['fd00::1', 'fe80::1', '::1', '::ffff:10.0.0.1'].filter(reaches)).toEqual([]);
    expect(['93.184.216.34', '2606:2800:220:1::1'].filter((address) => !reaches(address))).toEqual([]);
    const open = policies.filter(({ spec }) => {
      const { matchLabels = {}, matchExpressions = [] } = spec.podSelector;
      const named = matchLabels['app.kubernetes.io/component'];
      const chosen = matchExpressions.every(({ operator, values }) =>
        operator === 'In' ? values.includes('dashboard') : !values.includes('dashboard'),
      );
      return (spec.ingress?.length ?? 0) > 0 && (named ?? 'dashboard') === 'dashboard' && chosen;
    });
    expect(open.map(({ metadata, spec }) => [metadata.name, spec.ingress?.[0]?.ports])).toEqual([
      ['from-prometheus', [{ protocol: 'TCP', port: 'health' }]],
    ]);
  });

  it('label what the migration needs, so that it can be applied before everything else', () => {
    const needed = ['ServiceAccount', 'NetworkPolicy', 'PriorityClass'].flatMap((kind) =>
      ofKind(objects, kind),
    );
    expect(needed.length).toBeGreaterThan(5);
    for (const { metadata } of needed)
      expect(metadata.labels?.['app.kubernetes.io/component']).toBe('shared');
  });
});

it('A small site has only kinds of objects that Kubernetes itself has', () => {
  const groups = buildManifests('ops/kubernetes/overlays/small').map(({ apiVersion }) => apiVersion);
  expect([...new Set(groups)].filter((name) => /\./.test(name) && !name.includes('.k8s.io/'))).toEqual([]);
});

describe('The manifests of a large site', () => {
  const objects = buildManifests('ops/kubernetes/overlays/large');

  it('have schemas in which a field that does not exist, a wrong type or a missing field is found', () => {
    const changed = (name: string, change: (object: KubernetesObject) => unknown) => {
      const copy = structuredClone(objects.find(({ kind }) => kind === name)) as KubernetesObject;
      change(copy);
      return copy;
    };
    const problems = manifestProblems([
      changed('Deployment', ({ spec }) => Object.assign(spec as object, { replica: 2 })),
      changed('CronJob', ({ spec }) => Object.assign(spec as object, { schedule: 5 })),
      changed('ScaledObject', ({ spec }) => delete (spec as { triggers?: unknown }).triggers),
    ]).join('\n');
    expect(problems).toMatch(/Deployment api: .*"replica.*does not exist/);
    expect(problems).toMatch(/CronJob doctor: data\/spec\/schedule must be string/);
    expect(problems).toMatch(/ScaledObject .*required property triggers/);
  });

  it('scale the workers on queries that Prometheus takes, and have a number for when it does not answer', () => {
    const scaled = ofKind(objects, 'ScaledObject');
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['reward-evaluation', 'sync', 'webhook-delivery'].sort(),
    );
    for (const { spec } of scaled) {
      const { minReplicaCount: least, maxReplicaCount: most, fallback } = spec as ScaledObjectSpec;
      expect(fallback.replicas).toBeGreaterThan(least);
      expect(fallback.replicas).toBeLessThan(most);
    }
    const queries = scaled.flatMap(({ spec }) =>
      (spec as ScaledObjectSpec).triggers.map(({ metadata }) => metadata.query),
    );
    const alerts = projectFile('ops/prometheus/alerts.yml');
    for (const metric of queries.join(' ').match(/rewardhook_\w+/g) ?? []) expect(alerts).toContain(metric);
    const folder = temporaryFolder();
    try {
      const rules = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
      const path = join(folder.path, 'rules.json');
      writeFileSync(path, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
      expect(execFileSync('promtool', ['check', 'rules', path], { encoding: 'utf8' })).toContain('SUCCESS');
    } finally {
      folder.remove();
    }
  });
});

interface ScaledObjectSpec {
  minReplicaCount: number;
  maxReplicaCount: number;
  fallback: { replicas: number };
  triggers: { metadata: { query: string } }[];
}

interface NetworkPolicySpec {
  policyTypes: string[];
  podSelector: {
    matchLabels?: Record<string, string>;
    matchExpressions?: { operator: 'In' | 'NotIn'; values: string[] }[];
  };
  ingress?: { ports: object[] }[];
  egress?: EgressRule[];
}

interface EgressRule {
  to: { ipBlock?: { cidr: string; except?: string[] } }[];
  ports: { port: number; endPort?: number }[];
}

/** The rule of a policy that has one. */
function egressOf(objects: KubernetesObject[], name: string): EgressRule | undefined {
  const policy = ofKind(objects, 'NetworkPolicy').find(({ metadata }) => metadata.name === name);
  return (policy?.['spec'] as NetworkPolicySpec | undefined)?.egress?.[0];
}

/** Every port of a rule, in order. */
const portsOf = (rule: EgressRule | undefined): number[] =>
  (rule?.ports ?? []).flatMap(({ port, endPort = port }) =>
    Array.from({ length: endPort - port + 1 }, (_, index) => port + index),
  );

function inRange(address: string, cidr = ''): boolean {
  const [net = '', prefix] = cidr.split('/');
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (net === '' || family(net) !== family(address)) return false;
  const list = new BlockList();
  list.addSubnet(net, Number(prefix), family(net));
  return list.check(address, family(address));
}
