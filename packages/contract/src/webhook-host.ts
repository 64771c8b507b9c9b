/**
 * The host that the limits of webhooks count by. Ports of a host are not told apart, but over http: that is a development
 * setting, under which every port of this machine is a receiver of its own.
 */
export function webhookHost(url: string): string {
  const { protocol, host, hostname } = new URL(url);
  return (protocol === 'http:' ? host : hostname).replace(/\.$/, '');
}
