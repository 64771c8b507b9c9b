/** A reference to a component, or the object itself. */
export interface Reference {
  $ref?: string;
}

export interface Schema extends Reference {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A parameter, a header, or the header of a key. */
export interface Parameter extends Reference {
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** The body of a request, or a response. */
export interface Message extends Reference {
  description?: string;
  required?: boolean;
  headers?: Record<string, Reference>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: Message;
  responses: Record<string, Message>;
}

/** What docs/openapi.json has: the parts of OpenAPI 3.1 that our API uses. */
export interface OpenApi {
  info: { description: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, Parameter>;
    headers: Record<string, Parameter>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Message>;
    schemas: Record<string, Schema>;
  };
}

/** The last part of a reference: the name of the component. */
export const nameOf = ({ $ref = '' }: Reference): string => $ref.split('/').at(-1) ?? '';

/** The component that a reference names, or the object itself. */
export const resolve = <T extends Reference>(one: T, all: Record<string, T>): T => all[nameOf(one)] ?? one;
