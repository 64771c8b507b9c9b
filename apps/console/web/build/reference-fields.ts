import { marked } from 'marked';
import type { Field, Inline } from '../src/rooms/docs/document.ts';
import { nameOf, resolve } from './openapi.ts';
import type { Message, OpenApi, Parameter, Schema } from './openapi.ts';
import { openReader } from './read-markdown.ts';
import { referenceLabels } from './reference-labels.ts';
import type { Label, Language } from './reference-labels.ts';

const path = '/docs/api-reference';
const schemaId = (name: string): string => `schema-${name}`;
const headerId = (name: string): string => `header-${name}`;
const schemaLink = (name: string): Inline => ({ link: `${path}#${schemaId(name)}`, text: [{ code: name }] });

/** Separates the parts of a note. */
const joined = (parts: Inline[][], separator: string): Inline[] =>
  parts.flatMap((part, index) => (index > 0 ? [separator, ...part] : part));

const code = (value: unknown): Inline => ({
  code: typeof value === 'string' ? value : JSON.stringify(value),
});

function range(min?: number, max?: number): string | undefined {
  if (max === undefined) return min === undefined ? undefined : `≥ ${min}`;
  return min === undefined ? `≤ ${max}` : `${min}–${max}`;
}

/** Makes lists of fields from the schemas, parameters, headers and messages of an OpenAPI document. */
export function openFields({ components, webhooks, paths }: OpenApi, language: Language) {
  const { inlines } = openReader('docs/openapi.json', (href) => href);
  const text = (markdown = ''): Inline[] => inlines(marked.Lexer.lexInline(markdown));
  const label = (name: Label): string => referenceLabels[name][language];
  const named = (name: Label, value: Inline | undefined): Inline[][] =>
    value === undefined ? [] : [[`${label(name)} `, value]];

  // A schema is shown where it is used: if that is once, or in its webhook. The others have a section of their own.
  const references =
    JSON.stringify({ paths, webhooks, components }).match(/#\/components\/schemas\/[^"]+/g) ?? [];
  const sections = Object.keys(components.schemas).filter(
    (name) => !(name in webhooks) && references.filter((one) => nameOf({ $ref: one }) === name).length !== 1,
  );

  /** The anchor of a schema that is shown here. */
  function ownId(schema: Schema): { id?: string } {
    const name = nameOf(schema);
    return name && !sections.includes(name) ? { id: schemaId(name) } : {};
  }

  /** The type of a schema, in the notation of TypeScript. */
  function typeOf(schema: Schema): Inline[] {
    if (schema.$ref !== undefined) return [schemaLink(nameOf(schema))];
    if (schema.oneOf && !schema.properties) return joined(schema.oneOf.map(typeOf), ' | ');
    const types = [schema.type ?? []].flat();
    if (schema.items) return [...typeOf(schema.items), types.includes('null') ? '[] | null' : '[]'];
    return types.length > 0 ? [{ code: types.join(' | ') }] : [];
  }

  /** What limits a value, one note each. */
  const limitsOf = (schema: Schema): Inline[][] => [
    ...(schema.format ? [[code(schema.format)]] : []),
    ...[range(schema.minimum, schema.maximum) ?? []].flat().map((amount) => [amount]),
    ...named('length', range(schema.minLength, schema.maxLength)),
    ...named('items', range(schema.minItems, schema.maxItems)),
    ...(schema.pattern && !schema.format ? named('pattern', code(schema.pattern)) : []),
    ...(schema.const === undefined ? [] : named('value', code(schema.const))),
    ...(schema.default === undefined ? [] : named('default', code(schema.default))),
    ...(schema.enum
      ? [
          [
            `${label('oneOf')} `,
            ...joined(
              schema.enum.map((value) => [code(value)]),
              ', ',
            ),
          ],
        ]
      : []),
    ...(schema.examples ?? []).flatMap((one) => named('example', code(one))),
  ];

  /** The fields of an object, or of the elements of an array. None, if its schema has a section of its own. */
  function fieldsOf(schema: Schema, isRequest: boolean): Field[] {
    if (sections.includes(nameOf(schema))) return [];
    const {
      properties = {},
      required = [],
      additionalProperties,
      items,
    } = resolve(schema, components.schemas);
    if (items) return fieldsOf(items, isRequest);
    const fields = Object.entries(properties).map(([name, one]) =>
      field(name, one, required.includes(name), isRequest),
    );
    return typeof additionalProperties === 'object'
      ? [...fields, field(`<${label('anyName')}>`, additionalProperties, true, false)]
      : fields;
  }

  /** Says what is required of a request, and what an answer may lack. */
  function field(name: string, schema: Schema, isRequired: boolean, isRequest: boolean): Field {
    const resolved = resolve(schema, components.schemas);
    return {
      name,
      ...ownId(schema.items ?? schema),
      notes: [
        typeOf(schema),
        ...(isRequired === isRequest ? [[label(isRequest ? 'required' : 'optional')]] : []),
        ...limitsOf(resolved),
      ].filter((note) => note.length > 0),
      text: text(schema.description ?? resolved.description),
      fields: fieldsOf(schema, isRequest),
    };
  }

  function parameter({
    name = '',
    in: part,
    required = false,
    description,
    example,
    schema = {},
  }: Parameter): Field {
    const { notes, ...shown } = field(name, schema, required, true);
    return {
      ...shown,
      notes: [
        ...(part ? [[part]] : []),
        ...notes,
        ...named('example', example === undefined ? undefined : code(example)),
      ],
      text: text(description),
    };
  }

  /** The type and the fields of a body. An error is the same everywhere. */
  function body({ content = {} }: Message, isRequest: boolean): Pick<Field, 'id' | 'notes' | 'fields'> {
    const [media] = Object.entries(content);
    if (!media) return { notes: [], fields: [] };
    const [type, { schema }] = media;
    const isError = 'request_id' in (schema.properties ?? {});
    return {
      ...ownId(schema),
      notes: [[code(type)], isError ? [schemaLink('Error')] : typeOf(schema)],
      fields: isError ? [] : fieldsOf(schema, isRequest),
    };
  }

  function response(status: string, { description, headers = {}, ...message }: Message): Field {
    const links = Object.entries(headers).map(([name, header]): Inline[] => [
      { link: `${path}#${headerId(nameOf(header))}`, text: [code(name)] },
    ]);
    const { notes, ...shown } = body(message, false);
    const headerNotes = links.length > 0 ? [[`${label('headers')}: `, ...joined(links, ', ')]] : [];
    return { ...shown, name: status, notes: [...notes, ...headerNotes], text: text(description) };
  }

  /** A header of responses. Its component is named as the header, without hyphens. */
  const header = (name: string, component: string): Field => ({
    ...parameter({ ...components.headers[component], name, required: false }),
    id: headerId(component),
  });

  return { text, label, sections, schemaId, fieldsOf, parameter, body, response, header };
}
