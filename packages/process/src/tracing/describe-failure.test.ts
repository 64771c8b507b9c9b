import { describeFailure } from './describe-failure.ts';

it.each([
  [Object.assign(new TypeError('Key (member_id)=(KIM) exists'), { code: '23505' }), 'TypeError 23505'],
  [new Error('order 4711 is odd'), 'Error'],
  ['status 503', 'status 503'],
  [null, 'unknown error'],
  [{ message: 'KIM' }, 'unknown error'],
])('A span describes a failure by its class and code, and not by its message: %p', (error, described) => {
  expect(describeFailure(error)).toBe(described);
});
