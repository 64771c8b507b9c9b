import type { openQueues } from '@rewardhook/pipeline';

/** The queues of the board, in the order of the flow. */
export type Queues = ReturnType<typeof openQueues>;

/** The name of a queue on the board: that of its stage, and from the second shard on the number of the shard. */
export function boardNameOf(queue: Queues[number], queues: Queues): string {
  const shard = queues.filter(({ name }) => name === queue.name).indexOf(queue);
  return shard === 0 ? queue.name : `${queue.name}-shard-${shard}`;
}

/** The name of the stage of a queue on the board. */
export function stageNameOf(boardName: string): string {
  return boardName.replace(/-shard-\d+$/, '');
}
