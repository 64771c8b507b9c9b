import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureConsolePage } from './bootstrap/console-page.mjs';
import { ensureDependencies } from './bootstrap/dependencies.mjs';
import { ensurePrismaClient } from './bootstrap/prisma-client.mjs';
import { runChild } from './bootstrap/run-child.mjs';
import { environmentOfRunningStack } from './bootstrap/running-stack.mjs';
import { ensurePrograms, redisServer, e2ePrograms } from './bootstrap/server-programs.mjs';
import { Problem, step } from './bootstrap/steps.mjs';
import { commandOptions } from './command-options.mjs';

// What the npm scripts run: `node scripts/run.mjs <command> […]`. Plain JavaScript without dependencies: it is
// what installs them. It installs what is missing, and says so, then runs the command as a child process. `admin` and `studio` only
// say what to run.
const root = fileURLToPath(new URL('..', import.meta.url));
const source = ['--import', 'tsx', '-C', 'source'];
const jest = 'node_modules/jest/bin/jest.js';

const commands = {
  demo: { args: [...source, 'scripts/demo.ts'], needs: ['redis', 'build'] },
  dev: { args: [...source, 'scripts/dev.ts'], needs: ['redis'] },
  stack: { args: [...source, 'scripts/stack.ts'], needs: ['redis', 'build'] },
  bench: { args: [...source, 'bench/main.ts'], needs: ['redis', 'build'] },
  chaos: { args: [...source, 'chaos/main.ts'], needs: ['redis', 'build'] },
  fuzz: { args: [...source, 'fuzz/main.ts'], needs: ['redis', 'build'] },
  test: { args: [jest], needs: ['redis for tests'] },
  'test:unit': { args: [jest, '--config', 'jest.unit.config.ts'], needs: [] },
  'test:watch': { args: [jest, '--watch'], needs: ['redis for tests'] },
  'test:e2e': {
    args: [jest, '--config', 'jest.e2e.config.ts'],
    needs: ['redis for tests', 'e2e programs'],
  },
  admin: { args: [...source, 'apps/admin/src/main.ts'], needs: ['running stack'] },
  studio: {
    args: ['node_modules/prisma/build/index.js', 'studio', '--browser', 'none'],
    needs: ['running stack'],
    // Prisma asks for its newest version, and reports that it did.
    env: { CHECKPOINT_DISABLE: '1' },
  },
  generate: { needs: ['prisma client'] },
};

async function main([name, ...args]) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Problem(`Node.js 20.19 or newer is required, this is ${process.versions.node}.`);
  }
  const command = commands[name];
  if (!command) throw new Problem(`Usage: npm run ${Object.keys(commands).join('|')} [-- options]`);

  if (commandOptions[name]) refuseUnknownOptions(name, args);
  const isStack = command.needs.includes('redis');
  if (isStack && process.env.NODE_ENV === 'production') {
    throw new Problem(`NODE_ENV=production: npm run ${name} needs it unset. It starts the processes with WEBHOOK_ALLOW_LOOPBACK
and MAIL_FOLDER, which are for development and which they refuse in production. How to run them in production:
docs/operations/install.md.`);
  }

  // A command for a running service must not take minutes, and must change nothing here.
  await ensureDependencies(root, { install: !command.needs.includes('running stack') });
  await ensurePrismaClient(root, { force: command.needs.includes('prisma client') });
  const helpOnly = args.includes('--help');
  const ownRedis = command.needs.includes('redis for tests') || !process.env.REDIS_URL;
  if (!helpOnly && ownRedis && command.needs.some((need) => need.startsWith('redis')))
    await ensurePrograms(redisServer);
  if (!helpOnly && command.needs.includes('e2e programs')) await ensurePrograms(e2ePrograms);
  if (!helpOnly && command.needs.includes('build')) {
    await step('build', process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root });
    await ensureConsolePage(root);
  }
  const stack = command.needs.includes('running stack') ? environmentOfRunningStack(root) : {};
  if (name === 'studio' && !stack.DATABASE_URL && !process.env.DATABASE_URL)
    throw new Problem('Nothing runs here: start `npm run dev` or `npm run stack`, or set DATABASE_URL.');
  const env = { ...process.env, ...stack, ...command.env };
  if (command.args) runChild([...command.args, ...args], { cwd: root, env });
}

/** @throws Problem with exit code 2 */
function refuseUnknownOptions(name, args) {
  try {
    parseArgs({ args, options: commandOptions[name] });
  } catch (error) {
    const list = Object.keys(commandOptions[name]).map((option) => `--${option}`);
    throw new Problem(
      `${error.message.split('. ')[0]}. The options of npm run ${name}: ${list.join(', ')}`,
      2,
    );
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Problem ? `\n${error.message}\n` : error);
  process.exit(error instanceof Problem ? error.exitCode : 1);
});
