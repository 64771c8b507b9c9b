import { join } from 'node:path';
import type { Ports } from './ports.ts';
import type { Secrets } from './secrets.ts';

/** The settings of a stack's processes. */
export interface StackEnvironment {
  /** For every process, and for the admin command. */
  shared: Record<string, string>;
  dashboard: Record<string, string>;
  console: Record<string, string>;
}

/** Settings for local development. Those in `given` override the others. */
export function stackEnvironment(options: {
  databaseUrl: string;
  redisUrl: string;
  dataDir: string;
  ports: Ports;
  secrets: Secrets;
  given: Record<string, string>;
}): StackEnvironment {
  const { databaseUrl, redisUrl, dataDir, ports, secrets, given } = options;
  return {
    shared: {
      LOG_LEVEL: 'info',
      SECRETS_KEY: secrets.secretsKey,
      // The receivers of the demo, the tests and the bench listen on loopback.
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      // There is no load balancer to wait for.
      SHUTDOWN_DELAY_SECONDS: '0',
      CONSOLE_PUBLIC_URL: `http://127.0.0.1:${ports.console}`,
      // Mails are written to files unless SMTP_URL is given.
      MAIL_FOLDER: join(dataDir, 'mail'),
      ...given,
      // No other machine can reach the processes.
      LISTEN_HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
    },
    dashboard: {
      DASHBOARD_PORT: String(ports.dashboard),
      DASHBOARD_OPERATOR_PASSWORD: given['DASHBOARD_OPERATOR_PASSWORD'] ?? secrets.operatorPassword,
      DASHBOARD_VIEWER_PASSWORD: given['DASHBOARD_VIEWER_PASSWORD'] ?? secrets.viewerPassword,
    },
    console: {
      CONSOLE_PORT: String(ports.console),
      API_PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    },
  };
}
