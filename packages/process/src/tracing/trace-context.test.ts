import { readTraceparent } from './trace-context.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';

describe('readTraceparent', () => {
  it('A valid traceparent is kept', () => {
    expect(readTraceparent(`00-${trace}-${parent}-01`)).toBe(`00-${trace}-${parent}-01`);
    expect(readTraceparent(` 00-${trace}-${parent}-00 `)).toBe(`00-${trace}-${parent}-00`);
  });

  it('A later version is read as version 00, without unknown flags and fields', () => {
    expect(readTraceparent(`cc-${trace}-${parent}-ff-more`)).toBe(`00-${trace}-${parent}-03`);
  });

  it.each([
    undefined,
    ['a'],
    '',
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-01-more`,
    `ff-${trace}-${parent}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${parent}-01\r\nX-Evil: 1`,
    `cc-${trace}-${parent}-01-${'x'.repeat(300)}`,
  ])('%j is not a traceparent', (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});
