import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { parse } from 'yaml';

const run = promisify(execFile);
const rulesFolder = join(projectRoot, 'ops/prometheus');
const promtool = async (...words: string[]) => (await run('promtool', words, { cwd: rulesFolder })).stdout;

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}
const readYaml = (name: string): unknown => parse(readFileSync(join(rulesFolder, name), 'utf8'));
const { groups } = readYaml('alerts.yml') as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);

/** The expressions of the Grafana dashboard. */
function dashboardExpressions(): string[] {
  const dashboard = JSON.parse(readFileSync(join(projectRoot, 'ops/grafana/rewardhook.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

describe('The alerts of Prometheus', () => {
  it('are valid, as is the example of a configuration', async () => {
    expect(await promtool('check', 'config', 'prometheus.yml')).toContain(
      `SUCCESS: ${alerts.length} rules found`,
    );
  });

  it('fire and do not fire as their cases say', async () => {
    expect(await promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it('each have a case in which they fire and one in which they do not', () => {
    const { tests } = readYaml('alerts.test.yml') as { tests: RuleTest[] };
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    for (const fires of [true, false]) {
      const tested = cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires);
      expect(tested.map(({ alertname }) => alertname)).toEqual(alerts.map(({ alert }) => alert));
    }
  });

  it('each have a page that says what they mean, how to look and what to do', () => {
    const pages = new Set(alerts.map(({ annotations }) => annotations.runbook));
    for (const page of pages) {
      const text = readFileSync(join(projectRoot, page), 'utf8');
      expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
        'What it means',
        'How to look',
        'What to do',
      ]);
      const explained = alerts.filter(({ annotations }) => annotations.runbook === page);
      for (const { alert } of explained) expect(text).toContain(alert);
    }
    const files = readdirSync(join(projectRoot, 'docs/runbooks')).filter((name) => name !== 'README.md');
    expect(files.map((name) => `docs/runbooks/${name}`).sort()).toEqual([...pages].sort());
  });

  it('are all in the index of the pages, with their severity', () => {
    const index = readFileSync(join(projectRoot, 'docs/runbooks/README.md'), 'utf8');
    const rows = [...index.matchAll(/^\| `(\w+)` +\| (\w+)/gm)].map(([, alert, severity]) => [
      alert,
      severity,
    ]);
    expect(rows).toEqual(alerts.map(({ alert, labels }) => [alert, labels.severity]));
  });
});

describe('The dashboard of Grafana', () => {
  it('has only valid expressions', async () => {
    const rules = dashboardExpressions().map((expr, index) => ({ record: `panel:${index}`, expr }));
    const folder = temporaryFolder();
    try {
      const path = join(folder.path, 'rules.json');
      writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
      expect(await promtool('check', 'rules', path)).toContain(`SUCCESS: ${rules.length} rules found`);
    } finally {
      folder.remove();
    }
  });
});

describe('Alerts and dashboard', () => {
  it('read only metrics that are documented', () => {
    const documented = readFileSync(join(projectRoot, 'docs/operations/watch.md'), 'utf8');
    const expressions = [...alerts.map(({ expr }) => expr), ...dashboardExpressions()];
    const names = expressions.flatMap((expr) => expr.match(/\brewardhook_[a-z_]+[a-z](?![a-z_]*\|)/g) ?? []);
    const undocumented = [...new Set(names.map((name) => name.replace(/_(?:bucket|count|sum)$/, '')))].filter(
      (name) => !documented.includes(name),
    );
    expect(undocumented).toEqual([]);
  });
});
