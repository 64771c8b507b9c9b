const maxMessage = 1_000;
const maxFrames = 20;

/**
 * The error of a job as BullMQ may keep it: its message goes into the job, its stack and the event stream, and can be
 * as long as what failed. `cause` is the error itself, for the log.
 */
export function boundedFailure(cause: unknown): Error {
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
  const failure = new Error(message.slice(0, maxMessage), { cause });
  failure.name = name;
  const frames = (stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  failure.stack = [`${name}: ${failure.message}`, ...frames.slice(0, maxFrames)].join('\n');
  return failure;
}
