import { isQueueOfLargeJobs } from '@rewardhook/pipeline';
import type { openQueues } from '@rewardhook/pipeline';

/** The queues of the board, in the order of the flow. */
export type Queues = ReturnType<typeof openQueues>;

/**
 * The name of a queue on the board: that of its stage, `large` for the queue of the large jobs, and from the second shard on
 * the number of the shard.
 */
export function boardNameOf(queue: Queues[number], queues: Queues): string {
  const kindOf = ({ name, opts }: Queues[number]) =>
    isQueueOfLargeJobs(String(opts.prefix)) ? `${name}-large` : name;
  const kind = kindOf(queue);
  const shard = queues.filter((other) => kindOf(other) === kind).indexOf(queue);
  return shard === 0 ? kind : `${kind}-shard-${shard}`;
}

/** The name of the stage of a queue on the board. */
export function stageNameOf(boardName: string): string {
  return boardName.replace(/(?:-large)?(?:-shard-\d+)?$/, '');
}
