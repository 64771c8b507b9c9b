import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

/** What a unit of ops/systemd makes systemd do, with its drop-ins. */
export interface Unit {
  /** The program and its arguments. */
  command: string[];
  environment: Record<string, string>;
  /** Credential → path of the file. */
  credentials: Record<string, string>;
  /** The last value of every other setting. */
  settings: Record<string, string>;
}

/** Where the units expect the checkout and the settings. */
export interface Paths {
  checkout: string;
  settings: string;
}

/** Copies the units to a folder, with other paths in them. */
export function copyUnits(folder: string, { checkout, settings }: Paths): void {
  cpSync(join(projectRoot, 'ops/systemd'), folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:service|target|timer|conf)$|-admin$/.test(name)) continue;
    const path = join(folder, name);
    if (!existsSync(path) || name.endsWith('.d')) continue;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll('/opt/rewardhook', checkout).replaceAll('/etc/rewardhook', settings));
  }
}

/**
 * Reads a unit as systemd does, as far as ours use its format.
 * @param credentials the folder that `%d` stands for
 */
export function readUnit(folder: string, name: string, credentials: string): Unit {
  const [template = '', instance] = name.split('@');
  const file = instance === undefined ? `${name}.service` : `${template}@.service`;
  const dropIn = join(folder, `${name}.service.d/process.conf`);
  const lines = [join(folder, file), ...(existsSync(dropIn) ? [dropIn] : [])].flatMap((path) =>
    readFileSync(path, 'utf8').split('\n'),
  );
  const unit: Unit = { command: [], environment: {}, credentials: {}, settings: {} };
  for (const line of lines) {
    const [, key = '', written = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const value = written.replaceAll('%i', instance ?? '').replaceAll('%d', credentials);
    const pairs = (separator: string, texts: string[]) =>
      Object.fromEntries(
        texts.map((text) => [
          text.slice(0, text.indexOf(separator)),
          text.slice(text.indexOf(separator) + 1),
        ]),
      ) as Record<string, string>;
    if (key === 'ExecStart') unit.command = value.split(' ');
    else if (key === 'Environment') Object.assign(unit.environment, pairs('=', value.split(' ')));
    else if (key === 'LoadCredential') Object.assign(unit.credentials, pairs(':', [value]));
    else if (key !== '') unit.settings[key] = value;
  }
  return unit;
}
