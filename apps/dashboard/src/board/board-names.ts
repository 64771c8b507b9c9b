import type { openQueues } from '@rewardhook/pipeline';

/** The queues of the board, in the order of the flow. */
export type Queues = ReturnType<typeof openQueues>;

/** What the name of a queue on the board begins with, before that of its stage: from the second shard on the number of the shard. */
export function boardPrefixOf(queue: Queues[number], queues: Queues): string {
  const shard = queues.filter((other) => other.name === queue.name).indexOf(queue);
  return shard > 0 ? `shard-${shard}-` : '';
}

/** The name of the stage of a queue on the board. */
export function stageNameOf(boardName: string): string {
  return boardName.replace(/^(?:shard-\d+-)?/, '');
}
