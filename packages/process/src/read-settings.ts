import { readFileSync } from 'node:fs';
import Joi from 'joi';

/** One or more settings are invalid or missing. The message lists all problems, one per line. */
export class SettingsError extends Error {}

/** Marks a setting as a secret: `readSettings` also takes it from the file that `<NAME>_FILE` names. */
export function secret<S extends Joi.Schema>(schema: S): S {
  return schema.meta({ secret: true }) as S;
}

/** What a process declares about one of its settings. */
export interface DeclaredSetting {
  name: string;
  required: boolean;
  secret: boolean;
  /** Undefined: the setting has no default, or the process computes it. */
  default: string | number | boolean | undefined;
}

/** The settings of a schema, in its order. */
export function declaredSettings(settings: Joi.PartialSchemaMap): DeclaredSetting[] {
  const keys = (Joi.object(settings).describe() as { keys?: Record<string, Joi.Description> }).keys ?? {};
  return Object.entries(keys).map(([name, description]) => {
    const flags = (description.flags ?? {}) as { presence?: string; default?: DeclaredSetting['default'] };
    const metas = (description['metas'] ?? []) as { secret?: boolean }[];
    return {
      name,
      required: flags.presence === 'required',
      secret: metas.some((meta) => meta.secret === true),
      default: flags.default,
    };
  });
}

/**
 * Reads and validates the settings of a process from its environment. Unknown variables are ignored, and an empty one
 * counts as not set. A secret may be in a file instead: `SECRETS_KEY_FILE` names the file with `SECRETS_KEY`.
 * @throws SettingsError that lists all problems; values are never part of it
 */
export function readSettings<T extends object>(
  settings: Joi.PartialSchemaMap<T>,
  environment: NodeJS.ProcessEnv,
): T {
  const problems: string[] = [];
  // Compose files and shells set an empty variable for "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const unreadable = new Set<string>();
  for (const { name, secret: isSecret } of declaredSettings(settings)) {
    const path = isSecret ? given[`${name}_FILE`] : undefined;
    if (path === undefined) continue;
    const content = readSecretFile(name, path, given);
    if ('problem' in content) {
      problems.push(content.problem);
      unreadable.add(name);
    } else if (content.value !== '') given[name] = content.value;
  }
  const { value, error } = Joi.object<T>(settings).validate(given, {
    abortEarly: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  for (const { path, type, message, context } of error?.details ?? []) {
    if (unreadable.has(String(path[0]))) continue;
    problems.push(
      type === 'any.required' ? `${path.join('.')} is not set` : withoutValue(message, context?.['value']),
    );
  }
  if (problems.length === 0) return value as T;
  throw new SettingsError(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
}

/** The secret in a file, without the line break that editors and `echo` append. */
function readSecretFile(
  name: string,
  path: string,
  given: NodeJS.ProcessEnv,
): { value: string } | { problem: string } {
  if (given[name] !== undefined) {
    return { problem: `${name} and ${name}_FILE are both set: set one of them` };
  }
  try {
    return { value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problem: `${name}_FILE names ${path}, which cannot be read (${code ?? message})` };
  }
}

function withoutValue(message: string, value: unknown): string {
  return typeof value === 'string' && value.length > 3 ? message.replaceAll(value, '…') : message;
}
