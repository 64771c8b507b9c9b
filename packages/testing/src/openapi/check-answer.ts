import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer of the API under test. */
export interface ObservedAnswer {
  method: string;
  /** The path with its query. */
  url: string;
  status: number;
  headers: Record<string, string | undefined>;
  body: string;
}

/** The parts of an OpenAPI document that describe answers. */
interface Described {
  paths: Record<string, Record<string, unknown>>;
  components: { responses: Record<string, object>; headers?: object };
}

interface ResponseObject {
  headers?: Record<string, { $ref?: string; required?: boolean }>;
  content?: Record<string, object>;
}

/** Returns what the document does not describe of an answer; empty when it is as described. */
export type CheckAnswer = (answer: ObservedAnswer) => string[];

/** Not for merchants, so not described. */
const isOperatorPath = (path: string) => path.startsWith('/health/');

/** Every link below `/r/` is answered like a share link. OpenAPI has no parameter for several segments. */
const shareLink = '/r/{code}';
const isShareLink = (path: string) => path === '/r' || path.startsWith('/r/');

/**
 * Opens the check of answers against an OpenAPI 3.1 document. Objects of an answer must not have other fields than those
 * described, unless their schema has `additionalProperties`. Schemas are compiled when they are needed.
 */
export function openAnswerCheck(document: object): CheckAnswer {
  const described = closed(document) as Described;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  (addFormats as unknown as { default: (to: Ajv2020) => void }).default(ajv);
  ajv.addSchema(described, 'openapi');
  // A path without parameters comes before one that its text would match too, as OpenAPI says.
  const templates = Object.keys(described.paths)
    .toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
    .map((path) => ({ path, pattern: patternOf(path) }));

  return ({ method, url, status, headers, body }) => {
    const pathname = pathOf(url);
    if (isOperatorPath(pathname)) return [];
    const found = templates.find(({ path, pattern }) =>
      path === shareLink ? isShareLink(pathname) : matches(pathname, pattern),
    );
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const [given, named] = found
      ? responseOf(found.path, name, status)
      : (['/components/responses/NotFound', described.components.responses['NotFound']] as const);
    const { $ref: shared } = (named ?? {}) as { $ref?: string };
    const [pointer, response] = shared ? [shared.slice(1), resolve(shared)] : [given, named];
    const expected = found ? undefined : 404;
    if (response === undefined || (expected !== undefined && status !== expected))
      return [`${method} ${found?.path ?? pathname}: the status ${status} is not described`];
    return [
      ...missingHeaders(response as ResponseObject, headers),
      ...bodyErrors(`openapi#${pointer}`, response as ResponseObject, { method, headers, body }),
    ].map((problem) => `${method} ${found?.path ?? pathname} ${status}: ${problem}`);
  };

  function responseOf(path: string, method: string, status: number) {
    const operation = described.paths[path]?.[method] as { responses: Record<string, object> } | undefined;
    if (operation)
      return [
        `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/${status}`,
        operation.responses[status],
      ] as const;
    const name = { 405: 'MethodNotAllowed', 400: 'InvalidPath' }[status];
    return [`/components/responses/${name}`, described.components.responses[String(name)]] as const;
  }

  function missingHeaders({ headers: named = {} }: ResponseObject, headers: ObservedAnswer['headers']) {
    return Object.entries(named).flatMap(([name, header]) => {
      const { required } = (header.$ref ? resolve(header.$ref) : header) as { required?: boolean };
      return required && headers[name.toLowerCase()] === undefined ? [`the header ${name} is missing`] : [];
    });
  }

  function bodyErrors(
    pointer: string,
    { content }: ResponseObject,
    { method, headers, body }: Pick<ObservedAnswer, 'method' | 'headers' | 'body'>,
  ): string[] {
    if (method === 'HEAD' && body === '') return [];
    if (!content) return body === '' ? [] : ['a body is not described'];
    const [mediaType = ''] = Object.keys(content);
    if (!(headers['content-type'] ?? '').startsWith(mediaType)) return [`it is not ${mediaType}`];
    const encoded = encodeURI(`${pointer}/content/${mediaType.replaceAll('/', '~1')}/schema`);
    const validate = ajv.getSchema(encoded) ?? ajv.compile({ $ref: encoded });
    try {
      if (validate(mediaType === 'application/json' ? JSON.parse(body) : body)) return [];
    } catch (error) {
      if (error instanceof SyntaxError) return ['the body is not JSON'];
      throw error;
    }
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  function resolve(reference: string): object {
    return reference
      .slice(2)
      .split('/')
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], described) as object;
  }
}

/** The path of a request target, which hostile clients send in any form. */
function pathOf(target: string): string {
  const [path = ''] = target.split('?');
  return path.startsWith('http://') ? path.slice(path.indexOf('/', 'http://'.length)) : path;
}

/** The segments of a path; undefined for a parameter. */
function patternOf(path: string): (string | undefined)[] {
  return segmentsOf(path).map((segment) => (segment.startsWith('{') ? undefined : segment));
}

/** Without the slash at the end. An empty segment in between belongs to no route. */
const segmentsOf = (path: string): string[] => path.replace(/(?<!\/)\/$/, '').split('/');

function matches(pathname: string, pattern: (string | undefined)[]): boolean {
  const segments = segmentsOf(pathname);
  return (
    segments.length === pattern.length &&
    pattern.every((expected, index) =>
      expected === undefined ? segments[index] !== '' : expected === segments[index],
    )
  );
}

/** The document with schemas that allow no other fields, except where they say so. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  return 'properties' in copy && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
