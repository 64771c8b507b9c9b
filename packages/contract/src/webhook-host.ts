/**
 * The host by which limits per host count webhooks. All ports of a host count as one. Only http URLs, which are allowed
 * in development, count by port, because each receiver has a port of the same machine.
 */
export function webhookHost(url: string): string {
  const { protocol, host, hostname } = new URL(url);
  return (protocol === 'http:' ? host : hostname).replace(/\.$/, '');
}
