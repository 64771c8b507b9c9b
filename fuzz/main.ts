import { parseArgs } from 'node:util';
import { reportProblem } from '../scripts/report-problem.ts';
import { describeFuzz } from './report.ts';
import { enoughForEveryRoute, runFuzz } from './run-fuzz.ts';

const usage = `Sends generated requests to every server of the service: of docs/openapi.json and of the routes of the console, signed in and not,
right ones and ones with something hostile in one place. Looks for answers that must not be, processes that end, orders that are read
back changed, and changes of another merchant's data.

Usage: npm run fuzz -- [options]
  --requests N   how many have to reach a handler (default 20000)
  --seconds N    stop sending after N seconds (default: no limit)
  --seed S       the same seed makes the same requests (default: derived from the time)

A request has reached a handler when there is such a route, its key or session was accepted and its body could be read. When
${enoughForEveryRoute} or more have, each route must have been reached.

Exit code 1 when something was found. Add what was found to fuzz/corpus. Logs and data stay in .local/fuzz until the next run.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '20000' },
      seconds: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [requests, seconds, seed] = [Number(values.requests), Number(values.seconds), Number(values.seed)];
  if (!Number.isInteger(requests) || requests < 1) throw new Error('--requests must be a positive integer');
  if (!(seconds > 0)) throw new Error('--seconds must be a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed must be an integer');
  const result = await runFuzz({ requests, seconds, seed, log: (line) => console.error(`· ${line}`) });
  console.log(describeFuzz(result));
  return result.findings.length === 0 ? 0 : 1;
}

main().then((code) => process.exit(code), reportProblem);
