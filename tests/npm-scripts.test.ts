import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { projectFile } from './settings/deployment-files.ts';

const apps = readdirSync(join(projectRoot, 'apps'));

describe('An npm script', () => {
  it.each(apps)('`npm start -w apps/%s` runs what the image runs', (app) => {
    const { scripts } = JSON.parse(projectFile(`apps/${app}/package.json`)) as { scripts: { start: string } };
    const [, inImage = ''] = /exec (node .*main\.js)"/.exec(projectFile('ops/image/rewardhook')) ?? [];
    expect(scripts.start).toBe(inImage.replace('"apps/$command/', ''));
  });

  it.each(['stack', 'dev', 'demo'])(
    '`npm run %s` with NODE_ENV=production says at once that it needs it unset',
    (name) => {
      const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', name], {
        cwd: projectRoot,
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: 'production' },
      });
      expect(stderr).toContain(`NODE_ENV=production: npm run ${name} needs it unset.`);
      expect(status).toBe(1);
    },
  );
});
