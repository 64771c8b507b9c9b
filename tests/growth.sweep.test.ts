import { temporaryFolder } from '@rewardhook/testing';
import { tableOf } from '../bench/report/print-table.ts';
import { measureGrowth, smallestGrowth } from '../bench/sections/growth/growth.ts';

jest.setTimeout(240_000);

describe('The section growth of the bench', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('It runs in its smallest size, and no figure is missing', async () => {
    const { figures } = await measureGrowth(smallestGrowth, folder.path, () => undefined);
    expect(figures.map(({ section }) => section)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('bytes per row'),
        expect.stringContaining('orders stored'),
        expect.stringContaining('orders evaluated'),
        expect.stringContaining('deliveries'),
        expect.stringContaining('rewards exported'),
        expect.stringContaining('the console'),
      ]),
    );
    expect(figures.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
    expect(tableOf(figures)).not.toBe('');
  });
});
