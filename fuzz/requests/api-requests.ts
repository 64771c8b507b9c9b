import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { projectRoot } from '@rewardhook/testing';
import type { Routes } from '../checks/reached-route.ts';
import { headers, segments } from '../corpus/values.ts';
import type { FuzzMerchant } from '../service/open-merchant.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { addresses, queriesOf, sometimes } from './arbitraries.ts';
import { bodiesOf } from './bodies.ts';
import { valuesOf } from './schema-values.ts';
import type { Known, Schema } from './schema-values.ts';

interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

interface Operation {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

const document = JSON.parse(readFileSync(join(projectRoot, 'docs/openapi.json'), 'utf8')) as Document;

function resolve(ref: string): unknown {
  const [, , group = '', name = ''] = ref.split('/');
  return document.components[group]?.[name];
}

const resolveSchema = (ref: string) => resolve(ref) as Schema;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([name, operation]) => {
    const method = name.toUpperCase();
    // Routes are called with a slash at their end, and logged without it.
    return { route: `${method} ${path.replace(/\/$/, '')}`, method, path, operation };
  }),
);

/** The routes of docs/openapi.json. */
export const apiRoutes: Routes = new Map(
  operations.map(({ route, operation }) => [route, { needsAccess: keyOf(operation) !== undefined }]),
);

/** Requests of every operation of docs/openapi.json, for one merchant: right ones, and ones with something hostile in one place. */
export const apiRequests = (merchant: FuzzMerchant): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(...operations.map((operation) => requestsOf(operation, merchant)));

/** The kind of the key that an operation needs. */
function keyOf({ security }: Operation): string | undefined {
  return Object.keys(security?.[0] ?? {})[0];
}

function requestsOf(
  { route, method, path, operation }: (typeof operations)[number],
  merchant: FuzzMerchant,
): fc.Arbitrary<FuzzRequest> {
  const { known } = merchant;
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : (resolve(one.$ref) as Parameter),
  );
  const kind = keyOf(operation);
  const keys: Record<string, string> = { secretKey: merchant.secretKey, publicKey: merchant.publicKey };
  const right = kind === undefined ? undefined : keys[kind];
  const wrong = fc.constantFrom('', 'svc_sk_nobody', merchant.secretKey, merchant.publicKey);
  return fc
    .record({
      path: pathsOf(path, known),
      query: queriesOf(
        parameters
          .filter((one) => one.in === 'query')
          .map(({ name, schema }) => ({ name, right: rightQueryValues(schema, name, known) })),
      ),
      extra: sometimes(fc.constantFrom(...headers), 5),
      idempotencyKey: sometimes(fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }), 2),
      body: operation.requestBody
        ? bodiesOf(rightBodies(operation.requestBody.content['application/json'].schema, known), 5, 5)
        : fc.constant(undefined),
      key: sometimes(wrong, 7),
      address: addresses,
    })
    .map(({ path: filled, query, extra, idempotencyKey, body, key, address }): FuzzRequest => {
      const sent = key ?? right;
      return {
        target: 'api',
        route,
        method,
        path: filled + query,
        headers: {
          'x-forwarded-for': address,
          ...(sent === undefined || sent === '' ? {} : { 'x-service-key': sent }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': encodeURIComponent(idempotencyKey) }),
          ...extra,
        },
        body,
        signedIn: right === undefined || sent === right,
      };
    });
}

function pathsOf(path: string, known: Known): fc.Arbitrary<string> {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return fc.constant(path);
  const ids = (known[name] ?? []).map((id) => encodeURIComponent(id));
  const hostile = fc.constantFrom(...segments);
  const filled =
    ids.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, hostile) : hostile;
  return filled.map((segment) => path.replace(`{${name}}`, () => segment));
}

const rightQueryValues = (schema: Schema, name: string, known: Known) =>
  valuesOf(schema, known, resolveSchema, name).map((value) => encodeURIComponent(String(value)));

/** Orders have ids of their own, so that they can be read back. */
const rightBodies = (schema: Schema, known: Known) =>
  valuesOf(schema, { ...known, order_id: [] }, resolveSchema);
