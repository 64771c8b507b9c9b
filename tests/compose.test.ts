import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

it('docker-compose publishes ports on this host only, unless a setting allows more', () => {
  const compose = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
  const published = [...compose.matchAll(/^ +ports: \['(.+)'\]$/gm)].map(([, port]) => port);
  expect(published).toHaveLength(compose.match(/^ +ports:/gm)?.length ?? 0);
  expect(published.length).toBeGreaterThan(2);
  for (const port of published) expect(port).toMatch(/^(127\.0\.0\.1|\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}):/);
});
