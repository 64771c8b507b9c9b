/**
 * The host that the limits of webhooks count by. Ports of a host count as one host, except over http: that is a
 * development setting, in which every port of this machine is a receiver of its own.
 */
export function webhookHost(url: string): string {
  const { protocol, host, hostname } = new URL(url);
  return (protocol === 'http:' ? host : hostname).replace(/\.$/, '');
}
