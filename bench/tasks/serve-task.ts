import { setPrecedence } from './precedence.ts';

/** What a task process offers to its parent. */
export interface TaskBody<Ready, Answer> {
  /** Sent once, when the preparation is done. */
  ready: Ready;
  /** Runs once for each call. */
  call(): Promise<Answer>;
}

/** Messages between a task process and its parent. */
export type TaskMessage<Plan = unknown> = { plan: Plan } | 'call';
export type TaskReply<Ready = unknown, Answer = unknown> =
  { ready: Ready } | { answer: Answer } | { error: string };

/**
 * The child's half of a task: prepares what the plan describes, then answers calls, so that the preparation (bodies,
 * connections) is not measured. It ends with its parent.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type of what goes between processes
export function serveTask<Plan, Ready, Answer>(open: (plan: Plan) => Promise<TaskBody<Ready, Answer>>): void {
  // A child inherits the priority of its parent.
  setPrecedence(false);
  const reply = (message: TaskReply<Ready, Answer>) => void process.send?.(message);
  const fail = (error: unknown) =>
    reply({ error: error instanceof Error ? String(error.stack) : String(error) });
  let task: TaskBody<Ready, Answer> | undefined;
  const handle = async (message: TaskMessage<Plan>) => {
    if (message === 'call') return reply({ answer: (await task?.call()) as Answer });
    task = await open(message.plan);
    reply({ ready: task.ready });
  };
  process.on('message', (message: TaskMessage<Plan>) => void handle(message).catch(fail));
  process.on('disconnect', () => process.exit(0));
}
