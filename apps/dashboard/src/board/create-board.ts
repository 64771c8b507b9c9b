import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { AppViewRoute } from '@bull-board/api/typings/app';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Role } from '../auth/accounts.ts';
import { boardNameOf } from './board-names.ts';
import type { Queues } from './board-names.ts';
import { guardRoutes } from './guard-routes.ts';
import { hideRefusedActions, stylesheetPath } from './hide-refused-actions.ts';

/** Passes errors to our own handler: the board's would answer with their message and stack. Adds our stylesheet. */
class PassingAdapter extends ExpressAdapter {
  override setEntryRoute({ method, route, handler }: AppViewRoute): this {
    this.app[method](route, (_request: Request, response: Response, next: NextFunction) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, html: string) => {
        if (error) return next(error);
        response.send(html.replace('</head>', `<link href="${stylesheetPath}" rel="stylesheet"></head>`));
      });
    });
    return this;
  }

  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }
}

/** A queue under its name on the board, which has one name for several shards otherwise. */
class NamedAdapter extends BullMQAdapter {
  readonly #name: string;

  constructor(name: string, queue: Queues[number], options: { readOnlyMode: boolean }) {
    super(queue, options);
    this.#name = name;
  }

  override getName(): string {
    return this.#name;
  }
}

/** The board of a role, at the root. Only an operator's can change anything. */
export function createBoard(queues: Queues, role: Role): Express {
  const readOnlyMode = role !== 'operator';
  const serverAdapter = new PassingAdapter();
  createBullBoard({
    queues: queues.map((queue) => new NamedAdapter(boardNameOf(queue, queues), queue, { readOnlyMode })),
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
  const board = serverAdapter.getRouter() as Express;
  board.disable('x-powered-by');
  const stylesheet = hideRefusedActions(queues.map((queue) => boardNameOf(queue, queues)));
  board.get(`/${stylesheetPath}`, (_request, response) => void response.type('css').send(stylesheet));
  return board;
}
