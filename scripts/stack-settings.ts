/** The variables that are passed on to all processes of a stack. All other settings are generated. */
const passedOn = [
  'SECRETS_KEY',
  'LOG_LEVEL',
  'DASHBOARD_OPERATOR_PASSWORD',
  'DASHBOARD_VIEWER_PASSWORD',
  'WEBHOOK_ALLOW_LOOPBACK',
  'SMTP_URL',
  'MAIL_FROM',
];

/** The servers and settings that the environment gives, as options of `startStack`. */
export function stackSettings(environment: NodeJS.ProcessEnv): {
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  env: Record<string, string>;
} {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = environment[name];
    if (value) env[name] = value;
  }
  return {
    databaseUrl: environment['DATABASE_URL'] || undefined,
    redisUrl: environment['REDIS_URL'] || undefined,
    env,
  };
}
