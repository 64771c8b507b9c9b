import { listTimeZones } from '@rewardhook/database';
import type { ConsoleParts } from '../console-parts.ts';
import { openRoute } from '../http/route.ts';

/** GET /time-zones: the names that a merchant's time zone may have. */
export const showTimeZones = ({ database }: ConsoleParts) =>
  openRoute('GET', '/time-zones', async (): Promise<string[]> => [...(await listTimeZones(database))].sort());
