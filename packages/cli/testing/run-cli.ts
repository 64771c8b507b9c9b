import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder, waitFor } from '@rewardhook/testing';

/** The command as it is published, built for a test. */
export type Cli = {
  /** Starts it with variables of the environment, and no others that it reads. */
  start: (words: string[], environment?: Record<string, string>) => RunningCli;
  /** Runs it to its end. */
  run: (words: string[], environment?: Record<string, string>) => Promise<CliResult>;
  folder: string;
  remove: () => void;
};

/** What a command wrote, and its exit code. */
export type CliResult = { code: number | null; out: string; notes: string };

/** A command that runs. */
export type RunningCli = {
  /** What it has written to both streams so far. */
  text: () => string;
  out: () => string;
  /** Resolves with the match when the text contains it. */
  waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Writes a line to its standard input. */
  enter: (line: string) => void;
  /** Ends its standard input. */
  end: () => void;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<CliResult>;
};

/** Bundles the command into a folder of its own. */
export async function buildCli(): Promise<Cli> {
  const folder = temporaryFolder();
  const workspace = join(import.meta.dirname, '..');
  await promisify(execFile)(process.execPath, [join(workspace, 'bundle.mjs'), folder.path]);
  const start = (words: string[], environment: Record<string, string> = {}): RunningCli => {
    const { PATH = '' } = process.env;
    const started = spawn(process.execPath, [join(folder.path, 'rewardhook.js'), ...words], {
      cwd: folder.path,
      env: { PATH, TZ: 'UTC', ...environment },
    });
    let [out, notes, text] = ['', '', ''];
    started.stdout.on(
      'data',
      (chunk: Buffer) => void ((out += chunk.toString()), (text += chunk.toString())),
    );
    started.stderr.on(
      'data',
      (chunk: Buffer) => void ((notes += chunk.toString()), (text += chunk.toString())),
    );
    const ended = once(started, 'close').then(([code]) => ({ code: code as number | null, out, notes }));
    return {
      text: () => text,
      out: () => out,
      waitFor: (pattern) =>
        waitFor(() => pattern.exec(text) ?? undefined, {
          deadlineMs: 25_000,
          what: `${String(pattern)} in\n${text}`,
        }),
      enter: (line) => void started.stdin.write(`${line}\n`),
      end: () => void started.stdin.end(),
      kill: (signal) => void started.kill(signal),
      ended,
    };
  };
  return {
    start,
    run: (words, environment) => start(words, environment).ended,
    folder: folder.path,
    remove: () => folder.remove(),
  };
}
