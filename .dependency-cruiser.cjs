// The import rules, which `npm run lint` checks and tests/repository/layers.test.ts proves. Imports go down the layers only:
//
//   apps                                         deployable processes; none imports another
//   packages/cli                                 what merchants' developers run, bundled; nothing imports it
//   packages/testing → packages/local-stack      development only: no app and no other package imports them
//   pipeline, database, webhook, mail            queues, tables, HTTP to merchants, SMTP
//   rewards                                      the rules of a program; imports contract
//   contract, certify, process                   the merchants' API, the checks of a receiver, start and stop
//   verify, node, browser-sdk                    what merchants install

// dependency-cruiser reads TypeScript with swc here: TypeScript 7 has no JavaScript API. It parses every file as .ts, so
// .tsx files need the option that it does not set.
const swc = require('@swc/core');
const { parseFileSync } = swc;
swc.parseFileSync = (path, options) => parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') });

const forMerchants = ['verify', 'node', 'browser-sdk'];
const lowest = ['contract', 'rewards', 'certify', 'process', ...forMerchants];
const middle = ['pipeline', 'database', 'webhook', 'mail'];
const development = ['local-stack', 'testing'];

const packagesNamed = (names) => `^packages/(${names.join('|')})/`;
/** Tests and their support may import more than what runs in production. */
const notTests = ['\\.test\\.tsx?$', '/(fixtures|testing|web-tests)/', packagesNamed(development)];
const production = { path: '^(apps|packages)/[^/]+/(src|web)/', pathNot: notTests };
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid(
      'lowest-layer-imports-no-workspace',
      'contract, certify, process and the packages for merchants import none of our packages',
      { path: packagesNamed(lowest.filter((name) => name !== 'rewards')), pathNot: notTests },
      { path: '^(apps|packages)/', pathNot: '^packages/$1/' },
    ),
    forbid(
      'rewards-imports-contract-only',
      'The rules read the fields of orders and of terms as the API does, and know nothing else',
      { path: packagesNamed(['rewards']), pathNot: notTests },
      { path: '^(apps|packages)/', pathNot: packagesNamed(['rewards', 'contract']) },
    ),
    forbid(
      'middle-layer-imports-the-lowest',
      'pipeline, database, webhook and mail import the lowest layer only, not one another',
      { path: packagesNamed(middle), pathNot: notTests },
      { path: '^(apps|packages)/', pathNot: ['^packages/$1/', packagesNamed(lowest)] },
    ),
    forbid(
      'nothing-imports-the-cli',
      'The command line of merchants is bundled with what it imports',
      { path: '^(apps|packages)/', pathNot: [...notTests, '^packages/cli/'] },
      { path: '^packages/cli/' },
    ),
    forbid(
      'the-cli-imports-no-server',
      'The command line of merchants runs without Redis and PostgreSQL',
      { path: '^packages/cli/', pathNot: notTests },
      { path: '^packages/(pipeline|database|mail|process)/' },
    ),
    forbid(
      'no-app-imports-another',
      'Apps share code through packages',
      { path: '^apps/([^/]+)/', pathNot: notTests },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    forbid(
      'production-imports-no-test-support',
      'local-stack and testing are development dependencies',
      production,
      { path: [packagesNamed(development), '^tests/', '/(fixtures|testing)/', '\\.test\\.tsx?$'] },
    ),
    forbid(
      'local-stack-imports-contract-only',
      'It starts the apps as processes; testing may use it, not the other way round',
      { path: '^packages/local-stack/', pathNot: '\\.test\\.ts$' },
      { path: '^(apps|packages|tests)/', pathNot: '^packages/(local-stack|contract)/' },
    ),
    forbid(
      'one-public-entry',
      'A package is imported by its name: what the files of its entries export',
      { path: '^(apps|packages)/([^/]+)/', pathNot: notTests },
      {
        path: '^packages/',
        pathNot: [
          '^$1/$2/',
          '^packages/[^/]+/src/index\\.ts$',
          '^packages/database/src/(stages|operations)\\.ts$',
          '^packages/contract/src/(problems|rights)/index\\.ts$',
        ],
      },
    ),
    forbid(
      'no-path-into-another-workspace',
      'Not by a relative path either',
      { path: '^(apps|packages)/([^/]+)/', pathNot: notTests },
      { path: '^(apps|packages)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
    ),
    forbid(
      'chaos-is-independent',
      'It looks at the service from outside: of our packages it imports the one that starts processes, not even types of others',
      { path: '^chaos/' },
      { path: '^(apps|packages|tests|bench|fuzz)/', pathNot: '^packages/local-stack/' },
    ),
    forbid(
      'nothing-imports-chaos',
      'Tests share their support in tests/harness',
      { pathNot: '^chaos/' },
      { path: '^chaos/' },
    ),
    forbid(
      'declared-dependencies',
      'Every npm package that is imported is declared in the package.json of its workspace',
      production,
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),
    forbid(
      'resolvable',
      'Every import leads to a module, or to one that the build of the page makes; what tests/frameworks copies runs beside packages of its own',
      { pathNot: '^tests/frameworks/.*\\.mjs$' },
      { couldNotResolve: true, pathNot: '^virtual:' },
    ),
    forbid(
      'no-circular',
      'Files that import each other, directly or through others, cannot be read one by one; type imports count too',
      {},
      { circular: true },
    ),
    forbid(
      'queues-in-pipeline',
      'BullMQ and ioredis are used in packages/pipeline; the dashboard shows its queues with bull-board',
      { ...production, pathNot: [...notTests, '^packages/pipeline/'] },
      { path: 'node_modules/(bullmq|ioredis)/' },
    ),
    forbid(
      'bull-board-in-dashboard',
      'Only the dashboard shows queues',
      { ...production, pathNot: [...notTests, '^apps/dashboard/'] },
      { path: 'node_modules/@bull-board/' },
    ),
    forbid(
      'sql-in-database',
      'Prisma and pg are used in packages/database',
      { ...production, pathNot: [...notTests, '^packages/database/'] },
      { path: 'node_modules/(@prisma|prisma|pg)/|/src/generated/' },
    ),
    forbid(
      'workers-without-prisma-client',
      'The client takes 46 MB: workers import @rewardhook/database/stages and /operations',
      { path: '^apps/(sync|reward-evaluation|webhook-delivery|housekeeping)/', pathNot: notTests },
      { path: '^packages/database/src/index\\.ts$' },
    ),
    forbid(
      'stages-without-prisma-client',
      'The entries of the workers lead to no file that loads the client',
      { path: '^packages/database/src/(stages|operations)\\.ts$' },
      { path: '^packages/database/src/client/prisma\\.ts$', reachable: true },
    ),
    forbid(
      'prisma-client-in-one-file',
      'client/prisma.ts loads the client; client/client.ts imports its types for all others',
      {
        path: '^packages/database/src/',
        pathNot: [...notTests, '/client/(prisma|client)\\.ts$', '/src/generated/'],
      },
      { path: '/src/generated/' },
    ),
  ],
  options: {
    parser: 'swc',
    // Modules that are imported from node_modules are recorded, but not followed.
    doNotFollow: { path: ['node_modules', '/src/generated/'] },
    exclude: { path: '^(apps|packages)/[^/]+/(dist|dist-web)/' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
