import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from '@rewardhook/testing';
import { abortAfter } from './abort-after.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('abortAfter', () => {
  it('Every signal aborts after its time, also when garbage was collected meanwhile', async () => {
    const { signal } = new AbortController();
    let aborted = 0;
    for (let opened = 0; opened < 100; opened += 1)
      abortAfter(signal, 200).addEventListener('abort', () => (aborted += 1), { once: true });
    await waitFor(() => (collectGarbage(), aborted === 100), { what: 'all signals' });
  });

  it('It aborts with the other signal before that', () => {
    const controller = new AbortController();
    const signal = abortAfter(controller.signal, 60_000);
    controller.abort(new Error('stopped'));
    expect(signal.reason).toEqual(new Error('stopped'));
  });
});
