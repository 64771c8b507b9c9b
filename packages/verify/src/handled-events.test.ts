import { handledInDatabase, handledInMemory } from './handled-events.ts';

describe('handledInMemory', () => {
  it('removes the oldest key when it is full', async () => {
    const handled = handledInMemory({ maxEvents: 2 });
    const ran = [];
    for (const key of ['a', 'b', 'a', 'c', 'a']) ran.push(await handled.once(key, async () => undefined));
    expect(ran).toEqual([true, true, false, true, true]);
  });

  it('does not store a key whose work throws, and makes a second call wait for the first', async () => {
    const handled = handledInMemory();
    const fail = () => handled.once('a', () => Promise.reject(new Error('database away')));
    const both = await Promise.allSettled([fail(), fail()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await handled.once('a', async () => undefined)).toBe(true);
    expect(await handled.once('a', async () => undefined)).toBe(false);
  });
});

describe('handledInDatabase', () => {
  const opened = (fails: Partial<Record<'insert' | 'commit' | 'rollback', Error>> = {}) => {
    const steps: string[] = [];
    const stored = new Set<string>();
    const step = (name: 'insert' | 'commit' | 'rollback') => {
      steps.push(name);
      const failure = fails[name];
      if (failure) throw failure;
    };
    const handled = handledInDatabase({
      connect: async () => ({ keys: stored }),
      async insert({ keys }, key) {
        step('insert');
        return !keys.has(key) && keys.add(key).has(key);
      },
      commit: () => step('commit'),
      rollback: () => step('rollback'),
    });
    return { handled, steps };
  };

  it('runs the work between the insert and the commit, and not for a key that is stored', async () => {
    const { handled, steps } = opened();
    const work = async ({ keys }: { keys: Set<string> }) => void steps.push(`work ${keys.size}`);
    expect([await handled.once('a', work), await handled.once('a', work)]).toEqual([true, false]);
    expect(steps).toEqual(['insert', 'work 1', 'commit', 'insert', 'commit']);
  });

  it('rolls back when the insert, the work or the commit throws, and throws their error', async () => {
    const away = new Error('database away');
    const workFails = opened();
    await expect(workFails.handled.once('a', () => Promise.reject(away))).rejects.toBe(away);
    expect(workFails.steps).toEqual(['insert', 'rollback']);
    for (const name of ['insert', 'commit'] as const) {
      const { handled, steps } = opened({ [name]: away });
      await expect(handled.once('a', async () => undefined)).rejects.toBe(away);
      expect(steps.slice(-2)).toEqual([name, 'rollback']);
    }
  });

  it('throws both errors when the rollback fails too', async () => {
    const [away, gone] = [new Error('database away'), new Error('connection gone')];
    const { handled } = opened({ insert: away, rollback: gone });
    await expect(handled.once('a', async () => undefined)).rejects.toMatchObject({ errors: [away, gone] });
  });
});
