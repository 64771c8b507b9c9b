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
  // An error of the connection is that of its next statement.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query(
      'SELECT FROM events WHERE merchant_id = $1 AND id = $2 FOR UPDATE',
      [merchantId, eventId],
    );
    if (rowCount !== 1) throw new Error(`the event ${eventId} could not be locked: it is not there`);
    await meanwhile();
  } finally {
    await client.end();
  }
}
