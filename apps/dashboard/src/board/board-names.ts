import { isQueueOfLargeJobs } from '@rewardhook/pipeline';
import type { openQueues } from '@rewardhook/pipeline';

/** The queues of the board, in the order of the flow. */
export type Queues = ReturnType<typeof openQueues>;

/**
 * What the name of a queue on the board begins with, before that of its stage: `large-` for the queue of the large jobs, and from
 * the second shard on the number of the shard.
 */
export function boardPrefixOf(queue: Queues[number], queues: Queues): string {
  const isLarge = ({ opts }: Queues[number]) => isQueueOfLargeJobs(String(opts.prefix));
  const shard = queues
    .filter((other) => other.name === queue.name && isLarge(other) === isLarge(queue))
    .indexOf(queue);
  return `${isLarge(queue) ? 'large-' : ''}${shard > 0 ? `shard-${shard}-` : ''}`;
}

/** The name of the stage of a queue on the board. */
export function stageNameOf(boardName: string): string {
  return boardName.replace(/^(?:large-)?(?:shard-\d+-)?/, '');
}
