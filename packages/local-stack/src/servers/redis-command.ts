import { connect } from 'node:net';

/**
 * Sends one command to the Redis or Sentinel on a port of this machine, on a new connection, and returns the beginning
 * of its answer as it was sent. Enough for commands with short answers.
 * @throws when there is no answer within a second, or it is an error
 */
export function redisCommand(port: number, ...words: (string | number)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`${words.join(' ')}\r\n`));
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('data', (bytes) => {
      const answer = bytes.toString();
      if (answer.startsWith('-')) reject(new Error(`${words.join(' ')}: ${answer.trim()}`));
      else resolve(answer);
      socket.destroy();
    });
  });
}
