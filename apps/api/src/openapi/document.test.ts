import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, eventTypes, orderFields, validateOrders } from '@rewardhook/contract';
import { openAnswerCheck } from '@rewardhook/testing/answers';
import { projectRoot } from '@rewardhook/testing';
import { statuses } from '../http/render-error.ts';
import { buildOpenApiDocument, publishedApiUrl, publishedDocument } from './document.ts';
import { exampleOrder } from './examples.ts';
import { operations } from './operations.ts';

const document = buildOpenApiDocument('https://api.example.com');
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

describe('The OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', () => {
    // The validator is an ES module, which Jest cannot load.
    const { status, stdout } = spawnSync('npx', ['--no', 'validate-api', 'docs/openapi.json'], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.any(String)]);
  });

  it('has the routes of docs/api.md and no others', () => {
    const documented = read('docs/api.md').matchAll(/^\| `(GET|POST) (\/[^`…]*)`/gm);
    const inDocs = new Set(
      [...documented]
        .map(([, method, path]) => `${method} ${path}`)
        .filter((route) => !route.includes('/health/')),
    );
    const inDocument = operations
      .filter(({ method }) => method !== 'options')
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(inDocument.toSorted()).toEqual([...inDocs].toSorted());
  });

  it('has the error codes of docs/errors.md, with their statuses', () => {
    const rows = read('docs/errors.md').matchAll(/^\| (\d{3}) +\| `(\w+)`/gm);
    const inDocs = [...rows].map(([, status, code]) => `${status} ${code}`);
    expect(inDocs.toSorted()).toEqual(errorCodes.map((code) => `${statuses[code]} ${code}`).toSorted());
    const named = JSON.stringify(document.paths) + JSON.stringify(document.components.responses);
    for (const code of errorCodes) expect(named).toContain(`"${code}"`);
  });

  it('has a webhook for each event type', () => {
    expect(Object.keys(document['webhooks'] as object)).toEqual(eventTypes);
  });

  it('Each example of an answer is as its schema says', () => {
    const check = openAnswerCheck(document);
    const sent = operations.flatMap(({ method, path, answers }) =>
      answers
        .filter(({ example }) => example !== undefined)
        .flatMap(({ status, example }) =>
          check({
            method: method.toUpperCase(),
            url: path,
            status,
            headers: { 'content-type': 'application/json', 'x-request-id': 'x' },
            body: JSON.stringify(example),
          }),
        ),
    );
    expect(sent).toEqual([]);
  });

  it('An answer with a field or a status that is not described is found', () => {
    const check = openAnswerCheck(document);
    const answer = {
      method: 'POST',
      url: '/api/open/orders/sync',
      status: 202,
      headers: { 'content-type': 'application/json', 'x-request-id': 'x' },
    };
    const body = (more: object) => JSON.stringify({ data: { accepted_count: 1, ...more } });
    expect(check({ ...answer, body: body({}) })).toEqual([]);
    expect(check({ ...answer, body: body({ stored: 1 }) })).toHaveLength(1);
    expect(check({ ...answer, status: 201, body: body({}) })).toHaveLength(1);
    expect(check({ ...answer, headers: { 'x-request-id': 'x' }, body: body({}) })).toHaveLength(1);
    expect(
      check({ ...answer, headers: { 'content-type': 'application/json' }, body: body({}) }),
    ).toHaveLength(1);
    expect(check({ ...answer, url: '/api/open/unknown', body: body({}) })).toHaveLength(1);
  });

  it('Orders are described by the fields that validate them', async () => {
    const { Order } = document.components['schemas'] as { Order: { properties: object; required: string[] } };
    expect(Object.keys(Order.properties)).toEqual(Object.keys(orderFields));
    for (const name of Order.required) {
      const { [name as 'order_id']: _left, ...order } = exampleOrder;
      const validation = await validateOrders({ orders: [order] }, { timeZone: 'UTC' });
      expect(validation).toMatchObject({ errors: { [`orders[0].${name}`]: { code: 'required' } } });
    }
  });

  it('docs/openapi.json, which the console shows, is this document', () => {
    expect(read('docs/openapi.json')).toBe(publishedDocument());
    expect(publishedDocument()).toContain(publishedApiUrl);
  });
});
