import type { BoardHooks, ControllerHandlerReturnType } from '@bull-board/api/typings/app';
import type { Role } from '../auth/accounts.ts';
import { changingRoutes, readingRoutes } from './board-routes.ts';

/** Refuses the routes of the board that a role must not use, and redacts the responses of the others. */
export function guardRoutes(role: Role): Required<BoardHooks> {
  return {
    before({ method, route }) {
      const allow =
        method === 'get' ? readingRoutes.has(route) : role === 'operator' && changingRoutes.has(route);
      if (allow) return { allow };
      return { allow, status: 403, errorKey: 'ERRORS.FORBIDDEN', message: refusalOf(role) };
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

function refusalOf(role: Role): string {
  return role === 'viewer'
    ? 'Viewers cannot change anything.'
    : 'The content of jobs cannot be read or changed here.';
}

/** The board's own errors contain a translation key and no data. */
function isError({ body }: ControllerHandlerReturnType): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}
