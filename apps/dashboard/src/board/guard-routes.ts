import type { BoardHooks, ControllerHandlerReturnType } from '@bull-board/api/typings/app';
import { holdsOnlyCopies } from '@rewardhook/pipeline';
import type { Role } from '../auth/accounts.ts';
import { stageNameOf } from './board-names.ts';
import { changingRoutes, readingRoutes } from './board-routes.ts';

/** Refuses the routes of the board that a role must not use, and redacts the responses of the others. */
export function guardRoutes(role: Role): Required<BoardHooks> {
  return {
    before({ method, route, request }) {
      const { queueName } = request.params as { queueName?: string };
      const refusal = refusalOf(role, { method, route, queueName });
      if (refusal === undefined) return { allow: true };
      return { allow: false, status: 403, errorKey: 'ERRORS.FORBIDDEN', message: refusal };
    },
    after({ method, route, request }, answer) {
      if (method !== 'get' || isError(answer)) return answer;
      const redact = readingRoutes.get(route) ?? (() => ({}));
      const { queueName, jobId } = request.params as { queueName?: string; jobId?: string };
      const path = { queue: queueName ?? '', jobId: jobId ?? '' };
      return { ...answer, body: redact(answer.body as never, path) as ControllerHandlerReturnType['body'] };
    },
  };
}

/** Why a role must not use a route; undefined when it may. */
function refusalOf(
  role: Role,
  { method, route, queueName }: { method: string; route: string; queueName: string | undefined },
): string | undefined {
  if (method === 'get' && readingRoutes.has(route)) return undefined;
  if (role === 'viewer') return 'Viewers cannot change anything.';
  const effect = method === 'get' ? undefined : changingRoutes.get(route);
  if (effect === undefined) return 'The content of jobs cannot be read or changed here.';
  if (effect === 'removes jobs' && (queueName === undefined || holdsOnlyCopies(stageNameOf(queueName))))
    return 'The jobs of this queue hold the only copy of accepted orders. They cannot be removed.';
  return undefined;
}

/** The board's own errors contain a translation key and no data. */
function isError({ body }: ControllerHandlerReturnType): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}
