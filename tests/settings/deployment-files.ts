import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { parse } from 'yaml';
import { documentedSettings } from './documented-settings.ts';
import { commands, schemas, settingsOf } from './processes.ts';
import type { LeftOut } from './compare-environment.ts';

/** What the tests read of a service of docker-compose.yml. */
export interface ComposeService {
  image: string;
  command?: string | string[];
  entrypoint?: string[];
  environment?: Record<string, string | number>;
  secrets?: string[];
  ports?: string[];
  volumes?: string[];
  network_mode?: string;
  profiles?: string[];
  read_only?: boolean;
  init?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  logging?: { options: Record<string, string> };
  deploy?: { resources: { limits: Record<string, string | number> } };
  healthcheck?: { test?: string[]; disable?: boolean };
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

export const projectFile = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

export const composeFile = (name = 'docker-compose.yml') =>
  parse(projectFile(name), { merge: true }) as ComposeFile;

/** docker-compose.yml with compose.try.yml over it, as Compose merges the parts that the tests read. */
export function composeFileToTry(): ComposeFile {
  const { services, ...rest } = composeFile();
  const over = Object.entries(composeFile('compose.try.yml').services).map(([name, service]) => {
    const environment = { ...services[name]?.environment, ...service.environment };
    return [name, { ...services[name], ...service, environment }] as const;
  });
  return { ...rest, services: { ...services, ...Object.fromEntries(over) } };
}

/** The text with the variables of `.env` in it, as Compose inserts them: `${NAME}`, `${NAME:-default}`. */
export function interpolate(text: string, variables: Record<string, string> = {}): string {
  return text.replaceAll(
    /\$\{(\w+)(?::-([^{}]*))?\}/g,
    (_, name: string, otherwise: string | undefined) => variables[name] || (otherwise ?? ''),
  );
}

/** The environment that the Dockerfile sets. */
export function imageEnvironment(): Record<string, string> {
  const lines = projectFile('Dockerfile').match(/^ENV .+$/gm) ?? [];
  const pairs = lines.flatMap((line) => line.slice('ENV '.length).split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** What a deployment of the image does not set. */
export function leftOutOfDeployments(): LeftOut {
  const documented = documentedSettings(Object.keys(schemas), commands);
  return {
    image: Object.keys(imageEnvironment()),
    development: documented.filter(({ development }) => development).map(({ name }) => name),
  };
}

/**
 * How long a process takes at most to end after SIGTERM, in seconds.
 * @param delaySeconds `SHUTDOWN_DELAY_SECONDS`; its default without this argument
 */
export function longestShutdownSeconds(delaySeconds?: number): number {
  const source = projectFile('packages/process/src/run-process.ts');
  const workMs = Number(/workTimeoutMs = ([\d_]+);/.exec(source)?.[1]?.replaceAll('_', ''));
  const preset = settingsOf('api').find(({ name }) => name === 'SHUTDOWN_DELAY_SECONDS')?.default;
  const seconds = workMs / 1_000 + (delaySeconds ?? Number(preset));
  if (!(seconds > 0)) throw new Error('run-process.ts does not say how long a shutdown takes');
  return seconds;
}
