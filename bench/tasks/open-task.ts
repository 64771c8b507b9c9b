import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TaskMessage, TaskReply } from './serve-task.ts';

/** A task process, for its parent. */
export interface Task<Ready, Answer> {
  pid: number;
  ready: Ready;
  /** @throws with the error of the process */
  call(): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Starts a file of the bench (`load/post-orders.ts`) as a process and waits until it is prepared. Load generators, bare
 * loops and receivers run this way: their processor time is measured apart, and none shares an event loop.
 * @throws when the preparation fails
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type of what goes between processes
export async function openTask<Plan, Ready, Answer>(file: string, plan: Plan): Promise<Task<Ready, Answer>> {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = fork(path, [], { execArgv: ['--import', 'tsx', '-C', 'source'], serialization: 'advanced' });
  const exited = once(child, 'exit');
  const next = () =>
    new Promise<TaskReply<Ready, Answer>>((resolve, reject) => {
      const onEnd = () => reject(new Error(`${file} ended unexpectedly`));
      child.once('exit', onEnd);
      child.once('message', (message: TaskReply<Ready, Answer>) => {
        child.off('exit', onEnd);
        resolve(message);
      });
    });
  const ask = async (message: TaskMessage<Plan>) => {
    const answered = next();
    child.send(message);
    const reply = await answered;
    if ('error' in reply) throw new Error(`${file}: ${reply.error}`);
    return reply;
  };
  const close = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  try {
    const { ready } = (await ask({ plan })) as { ready: Ready };
    return {
      pid: child.pid as number,
      ready,
      call: async () => ((await ask('call')) as { answer: Answer }).answer,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
