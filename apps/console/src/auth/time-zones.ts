import { listTimeZones } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { openRoute } from '../http/route.ts';

/** GET /time-zones: the names that a merchant's time zone may have. */
export const showTimeZones = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/time-zones', async (): Promise<string[]> => [...(await listTimeZones(database))].sort());
