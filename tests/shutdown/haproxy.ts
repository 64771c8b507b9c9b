import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile, startProcess } from '@rewardhook/local-stack';
import type { RunningProcess } from '@rewardhook/local-stack';

/**
 * Starts HAProxy with servers that it checks at `/health/ready` of their own ports. It sends a request again only when
 * the connection was refused.
 */
export function startHaproxy(options: {
  folder: string;
  port: number;
  serverPorts: number[];
}): Promise<RunningProcess> {
  const servers = options.serverPorts.map(
    (port, index) =>
      `  server api-${index + 1} 127.0.0.1:${port} check inter 200ms fall 2 rise 1 slowstart 3s`,
  );
  const path = join(options.folder, 'haproxy.cfg');
  writeFileSync(
    path,
    `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 2s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend clients
  bind 127.0.0.1:${options.port}
  default_backend api
backend api
  balance roundrobin
  option httpchk GET /health/ready
  http-reuse safe
${servers.join('\n')}
`,
  );
  return startProcess({
    command: '/usr/sbin/haproxy',
    args: ['-db', '-f', path],
    log: openLogFile(join(options.folder, 'logs', 'haproxy.log')),
    stopSignal: 'SIGTERM',
  });
}
