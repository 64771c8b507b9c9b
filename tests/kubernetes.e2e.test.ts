import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import Joi from 'joi';
import { parse } from 'yaml';
import { buildManifests, manifestProblems, secretFilesOf, workloadsOf } from './kubernetes/manifests.ts';
import type { KubernetesObject } from './kubernetes/manifests.ts';
import { environmentDifferences } from './settings/compare-environment.ts';
import { leftOutOfDeployments, longestShutdownSeconds, projectFile } from './settings/deployment-files.ts';
import { schemas, services, settingsOf } from './settings/processes.ts';

jest.setTimeout(60_000);

const objects = buildManifests('ops/kubernetes/overlays/example');
const workloads = workloadsOf(objects);
/** The schema that a workload is compared with: `doctor` is a command of admin. */
const processOf = (name: string) => (name === 'doctor' ? 'admin' : name);
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
const each = workloads.map((workload) => [workload.name, workload] as const);

describe('The manifests in ops/kubernetes', () => {
  it('fit the schemas of Kubernetes, KEDA and the Prometheus operator, in the base and in the example', () => {
    expect(objects.length).toBeGreaterThan(40);
    expect(manifestProblems(objects)).toEqual([]);
    expect(manifestProblems(buildManifests('ops/kubernetes/base'))).toEqual([]);
  });

  it('A field that does not exist, a wrong type and a missing field are found', () => {
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
    expect(ofKind('Secret')).toEqual([]);
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
    const amounts = { cpu: expect.any(String) as string, memory: expect.any(String) as string };
    expect(container.resources).toEqual({ requests: amounts, limits: amounts });
  });

  it.each(each.filter(([, { kind }]) => kind === 'Deployment'))(
    'probe %s, disrupt one pod at a time, and give it the time that its end takes',
    (name, { pod, container, environment }) => {
      expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
      expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'health' });
      const budget = ofKind('PodDisruptionBudget').find(({ metadata }) => metadata.name === name);
      expect(budget?.['spec']).toMatchObject({
        maxUnavailable: 1,
        selector: { matchLabels: { 'app.kubernetes.io/component': name } },
      });
      const delay = Number(environment['SHUTDOWN_DELAY_SECONDS'] ?? 0);
      const longest = longestShutdownSeconds(delay);
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(longest + 2);
    },
  );

  it('scale the workers on queries that Prometheus takes, of metrics that the alerts use too', () => {
    const scaled = ofKind('ScaledObject');
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['reward-evaluation', 'sync', 'webhook-delivery'].sort(),
    );
    const queries = scaled.flatMap(({ spec }) =>
      (spec as { triggers: { metadata: { query: string } }[] }).triggers.map(
        ({ metadata }) => metadata.query,
      ),
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

  it('let webhooks reach public addresses only, and nothing reach the dashboard', () => {
    const policies = ofKind('NetworkPolicy') as (KubernetesObject & { spec: NetworkPolicySpec })[];
    expect(policies.find(({ metadata }) => metadata.name === 'default-deny')?.spec.policyTypes).toEqual([
      'Ingress',
      'Egress',
    ]);
    const toWebhooks = policies.find(({ metadata }) => metadata.name === 'public-addresses')?.spec
      .egress?.[0];
    const blocks = toWebhooks?.to.map(({ ipBlock }) => ipBlock) ?? [];
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
    const needed = [...ofKind('ServiceAccount'), ...ofKind('NetworkPolicy')];
    expect(needed.length).toBeGreaterThan(5);
    for (const { metadata } of needed)
      expect(metadata.labels?.['app.kubernetes.io/component']).toBe('shared');
  });

  it('have the version of package.json', () => {
    const { version } = JSON.parse(projectFile('package.json')) as { version: string };
    const { images } = parse(
      readFileSync(join(projectRoot, 'ops/kubernetes/base/kustomization.yaml'), 'utf8'),
    ) as {
      images: { name: string; newTag: string }[];
    };
    expect(images).toEqual([{ name: 'rewardhook', newTag: version }]);
  });
});

interface NetworkPolicySpec {
  policyTypes: string[];
  podSelector: {
    matchLabels?: Record<string, string>;
    matchExpressions?: { operator: 'In' | 'NotIn'; values: string[] }[];
  };
  ingress?: { ports: object[] }[];
  egress?: { to: { ipBlock?: { cidr: string; except?: string[] } }[] }[];
}

function inRange(address: string, cidr = ''): boolean {
  const [net = '', prefix] = cidr.split('/');
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (net === '' || family(net) !== family(address)) return false;
  const list = new BlockList();
  list.addSubnet(net, Number(prefix), family(net));
  return list.check(address, family(address));
}
