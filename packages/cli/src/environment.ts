import { parseEnv } from 'node:util';
import { usageError } from './exit-codes.ts';
import { readTextNow } from './read-text.ts';

/** The environment of the process; the only place that reads it. */
export const processEnvironment: NodeJS.ProcessEnv = process.env;

/** The options of a command that can also be set in the environment. */
export type SettingOptions = {
  baseUrl?: string | undefined;
  secretKey?: string | undefined;
  signingSecret?: string | undefined;
  envFile?: string | undefined;
};

/** The settings of a command; each reader reports what is missing or malformed, and how to set it. */
export type Settings = {
  /** Without a slash at the end. @throws CommandError */
  baseUrl: () => string;
  /** Never printed. @throws CommandError */
  secretKey: () => string;
  /** `whsec_…`; undefined when it is not set. @throws CommandError when it is malformed */
  signingSecret: () => string | undefined;
};

/** Reads options, then variables of the environment, then those of `--env-file`: the first one that is set counts. */
export function readSettings(options: SettingOptions, environment: NodeJS.ProcessEnv): Settings {
  const ofFile = options.envFile === undefined ? {} : readEnvFile(options.envFile);
  const find = (option: string | undefined, name: string): string | undefined =>
    option?.trim() || environment[name]?.trim() || ofFile[name]?.trim() || undefined;
  const need = (option: string | undefined, name: string, flag: string, what: string): string => {
    const value = find(option, name);
    if (value === undefined)
      throw usageError(
        `${name} is not set: ${what}. Set it in the environment, in a file (--env-file .env), or with ${flag}.`,
      );
    return value;
  };
  return {
    baseUrl: () => {
      const text = need(
        options.baseUrl,
        'REWARDHOOK_BASE_URL',
        '--base-url',
        'the URL of the API, such as https://api.example.com',
      );
      return httpUrl(text, 'REWARDHOOK_BASE_URL').href.replace(/(?<!\/)\/+$/, '');
    },
    secretKey: () => {
      const key = need(
        options.secretKey,
        'REWARDHOOK_SECRET_KEY',
        '--secret-key',
        'a secret key of your shop, from the console under Credentials',
      );
      if (key.startsWith('svc_pk_'))
        throw usageError('REWARDHOOK_SECRET_KEY is a public key (svc_pk_…). Use a secret key (svc_sk_…).');
      if (!/^svc_sk_[0-9A-Za-z_]+$/.test(key))
        throw usageError(
          'REWARDHOOK_SECRET_KEY is not a secret key: it must begin with svc_sk_ and be complete.',
        );
      return key;
    },
    signingSecret: () => {
      const secret = find(options.signingSecret, 'REWARDHOOK_SIGNING_SECRET');
      if (secret !== undefined && !isSigningSecret(secret))
        throw usageError(
          'The signing secret must be whsec_ and base64 of at least 24 bytes, complete as the console shows it.',
        );
      return secret;
    },
  };
}

/** @throws CommandError when the text is not an http or https URL */
export function httpUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // `localhost:4000` parses as a URL with the scheme "localhost:".
  throw usageError(`${name} must be a URL that begins with http:// or https://, not "${text}".`);
}

function isSigningSecret(secret: string): boolean {
  if (!secret.startsWith('whsec_')) return false;
  const encoded = secret.slice('whsec_'.length);
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.toString('base64') === encoded;
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  return parseEnv(readTextNow(path));
}
