import { reachedRoute } from './reached-route.ts';
import type { Routes } from './reached-route.ts';

const routes: Routes = new Map([
  ['GET /orders/{order_id}', { needsAccess: true }],
  ['POST /orders', { needsAccess: true }],
  ['POST /sign-in', { needsAccess: false }],
]);
const get = { requestId: '1', method: 'GET', route: '/orders/{order_id}', merchantId: 'mer_1' };
const post = { requestId: '1', method: 'POST', route: '/orders', merchantId: 'mer_1' };
const signIn = { requestId: '1', method: 'POST', route: '/sign-in' };
const answer = (status: number, body: object = {}) => ({ status, headers: {}, text: JSON.stringify(body) });

describe('A request', () => {
  it('has reached the handler that has answered it, also when the answer is that something does not exist', () => {
    expect(reachedRoute(routes, answer(200), get)).toBe('GET /orders/{order_id}');
    expect(reachedRoute(routes, answer(404), get)).toBe('GET /orders/{order_id}');
    expect(reachedRoute(routes, answer(400, { params: { order_amount: 'is required' } }), post)).toBe(
      'POST /orders',
    );
    expect(reachedRoute(routes, answer(401), signIn)).toBe('POST /sign-in');
  });

  it.each([
    ['no route has its path', answer(404), { ...get, route: 'unmatched' }],
    ['no route of its path has its method', answer(405), { ...get, method: 'POST' }],
    ['it is not authenticated', answer(401), { requestId: '1', method: 'POST', route: '/orders' }],
    ['a limit is reached', answer(429), post],
    ['its body is too large', answer(413), post],
    ['its body cannot be read', answer(400, { params: { body: 'must be JSON' } }), post],
    ['its body has another type', answer(400, { params: { 'content-type': 'must be JSON' } }), post],
  ])('has reached no handler when %s', (_when, given, line) => {
    expect(reachedRoute(routes, given, line)).toBeUndefined();
  });
});
