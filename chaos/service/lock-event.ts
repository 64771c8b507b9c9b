import { Client } from 'pg';
import type { Service } from './open-service.ts';

/** Does something while the row of an event is locked, as it is while its member is erased or its delivery sent again by hand. */
export async function whileEventLocked(
  service: Service,
  merchantId: string,
  eventId: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: service.stack.databaseUrl, application_name: 'chaos' });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM events WHERE merchant_id = $1 AND id = $2 FOR UPDATE', [
      merchantId,
      eventId,
    ]);
    await meanwhile();
  } finally {
    await client.end();
  }
}
