import type { DeclaredSetting } from '@rewardhook/process';

/** Names of settings that a deployment leaves to the image, or must not have. */
export interface LeftOut {
  /** The image sets them. */
  image: string[];
  /** Refused in production. */
  development: string[];
}

/**
 * Where the environment that a deployment gives to a process differs from what the process reads; one line for each
 * difference. A secret is given as a file (`SECRETS_KEY_FILE`).
 */
export function environmentDifferences(
  process: string,
  environment: Iterable<string>,
  declared: DeclaredSetting[],
  leftOut: LeftOut,
): string[] {
  const given = new Set(environment);
  const missing = declared.flatMap(({ name, secret }) => {
    if (leftOut.image.includes(name) || leftOut.development.includes(name)) return [];
    if (secret && given.has(name)) return [`${process} gets the secret ${name} in clear`];
    const variable = secret ? `${name}_FILE` : name;
    return given.has(variable) ? [] : [`${process} does not get ${variable}`];
  });
  const known = new Set(declared.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
  const unknown = [...given].flatMap((name) => {
    if (!known.has(name)) return [`${process} does not read ${name}`];
    if (leftOut.development.includes(name)) return [`${process} gets ${name}, which is for development only`];
    return [];
  });
  return [...missing, ...unknown];
}
