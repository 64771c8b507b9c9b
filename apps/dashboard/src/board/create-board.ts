import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express } from 'express';
import type { Role } from '../auth/accounts.ts';
import { boardPrefixOf } from './board-names.ts';
import type { Queues } from './board-names.ts';
import { linkToWebhook } from './summarize-sends.ts';
import { guardRoutes } from './guard-routes.ts';

/** The board of a role, at the root. Only an operator's can change anything. Jobs of webhooks have a link to the console. */
export function createBoard(queues: Queues, role: Role, consoleUrl: string | undefined): Express {
  const readOnlyMode = role !== 'operator';
  const serverAdapter = new ExpressAdapter();
  createBullBoard({
    queues: queues.map(
      (queue) =>
        new BullMQAdapter(queue, {
          readOnlyMode,
          prefix: boardPrefixOf(queue, queues),
          ...(queue.name === 'webhook-delivery' &&
            consoleUrl !== undefined && { externalJobUrl: ({ data }) => linkToWebhook(consoleUrl, data) }),
        }),
    ),
    serverAdapter,
    options: {
      handlerHooks: guardRoutes(role),
      uiConfig: {
        boardTitle: 'Rewardhook',
        hideDocsLink: true,
        environment: readOnlyMode
          ? { label: 'viewer (read only)', color: '#475569', textColor: '#ffffff' }
          : { label: 'operator', color: '#b45309', textColor: '#ffffff' },
      },
    },
  });
  // Errors reach our own handler: that of the board answers with their message and stack.
  serverAdapter.setErrorHandler((error) => {
    throw error;
  });
  const board = serverAdapter.getRouter() as Express;
  board.disable('x-powered-by');
  return board;
}
