import { marked } from 'marked';
import type { Block, Field, MarkdownDocument } from '../src/rooms/docs/document.ts';
import { resolve } from './openapi.ts';
import type { Message, OpenApi, Operation } from './openapi.ts';
import { openReader } from './read-markdown.ts';
import type { ReadFile } from './read-markdown.ts';
import { openFields } from './reference-fields.ts';
import type { Label, Language } from './reference-labels.ts';

/** The OpenAPI document of the API, from the root of the repository. */
export const referencePath = 'docs/openapi.json';

const openApi = (readFile: ReadFile) => JSON.parse(readFile(referencePath)) as OpenApi;

/** Reads the OpenAPI document as a document for merchants: labels in the language of the page, descriptions in English. */
export function readReference(readFile: ReadFile, language: Language): MarkdownDocument {
  const source = openApi(readFile);
  const { components, paths, webhooks, tags, info } = source;
  const fields = openFields(source, language);
  const { label } = fields;

  const heading = (level: number, id: string, name: string, lang?: 'en'): Block => ({
    kind: 'heading',
    level,
    id,
    text: [name],
    ...(lang && { language: lang }),
  });
  const labelled = (name: Label, ...blocks: Block[]): Block[] => [
    { kind: 'label', text: label(name) },
    ...blocks,
  ];
  const list = (all: Field[]): Block => ({ kind: 'fields', fields: all });
  const paragraph = (markdown: string, lang?: 'en'): Block => ({
    kind: 'paragraph',
    text: fields.text(markdown),
    ...(lang && { language: lang }),
  });
  const description = (markdown?: string): Block[] => (markdown ? [paragraph(markdown, 'en')] : []);
  const json = (value: unknown): Block => ({
    kind: 'code',
    language: 'json',
    text: JSON.stringify(value, null, 2),
  });
  const examplesOf = ({ content = {} }: Message): Block[] =>
    Object.values(content).flatMap(({ example }) => (example === undefined ? [] : [json(example)]));

  /** Of a webhook, it is what the receiver gets: it says what can be absent. */
  function requestBody(message: Message, isWebhook: boolean): Block[] {
    const body = fields.body(message, !isWebhook);
    if (message.required) body.notes.push([label('required')]);
    return labelled('requestBody', list([{ ...body, name: '', text: [] }]), ...examplesOf(message));
  }

  const operation = (method: string, path: string | undefined, one: Operation): Block[] => [
    heading(3, one.operationId, one.summary, 'en'),
    { kind: 'endpoint', method: method.toUpperCase(), path: path ?? label('yourUrl') },
    ...description(one.description),
    ...(path === undefined
      ? []
      : labelled(
          'authentication',
          ...one.security.flatMap((schemes) =>
            Object.keys(schemes).map((key) =>
              list([fields.parameter({ ...components.securitySchemes[key], required: true })]),
            ),
          ),
          ...(one.security.length === 0 ? [paragraph(label('none'))] : []),
        )),
    ...labelled(
      'parameters',
      list(one.parameters.map((each) => fields.parameter(resolve(each, components.parameters)))),
    ),
    ...(one.requestBody ? requestBody(one.requestBody, path === undefined) : []),
    ...labelled(
      path === undefined ? 'yourResponse' : 'responses',
      list(
        Object.entries(one.responses).map(([status, message]) =>
          fields.response(status, resolve(message, components.responses)),
        ),
      ),
    ),
    ...Object.values(one.responses).flatMap(examplesOf),
  ];

  const operations = [
    ...Object.entries(paths).map(([path, methods]) => [path, methods] as const),
    ...Object.values(webhooks).map((methods) => [undefined, methods] as const),
  ].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ one, blocks: operation(method, path, one) })),
  );
  const headerNames = new Map(
    Object.values(components.responses)
      .concat(operations.flatMap(({ one }) => Object.values(one.responses)))
      .flatMap(({ headers = {} }) => Object.keys(headers).map((name) => [name.replaceAll('-', ''), name])),
  );
  const errors = Object.values(components.responses).flatMap(({ content = {} }) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.entries(examples)),
  );
  return {
    title: label('title'),
    blocks: [
      paragraph(label('lead')),
      ...openReader(referencePath, (href) => href)
        .blocks(marked.lexer(info.description))
        .map(inEnglish),
      ...tags.flatMap(({ name, description: about }) => [
        heading(2, name.toLowerCase().replaceAll(' ', '-'), name, 'en'),
        ...description(about),
        ...operations.filter(({ one }) => one.tags.includes(name)).flatMap(({ blocks }) => blocks),
      ]),
      heading(2, 'response-headers', label('responseHeaders')),
      list(Object.keys(components.headers).map((key) => fields.header(headerNames.get(key) ?? key, key))),
      heading(2, 'schemas', label('schemas')),
      ...fields.sections.flatMap((name) => {
        const { description: about, ...schema } = components.schemas[name] ?? {};
        const examples =
          name === 'Error' ? [...new Map(errors).values()].map(({ value }) => json(value)) : [];
        return [
          heading(3, fields.schemaId(name), name),
          ...description(about),
          list(fields.fieldsOf(schema, false)),
          ...examples,
        ];
      }),
    ],
  };
}

/** Marks the language of the text, which a page in Korean has in English. */
function inEnglish(block: Block): Block {
  if (block.kind === 'list') return { ...block, items: block.items.map((item) => item.map(inEnglish)) };
  return block.kind === 'paragraph' ? { ...block, language: 'en' } : block;
}

/** The ids to which a link can lead: operations, headers and schemas. */
export function anchorsOfReference(readFile: ReadFile): string[] {
  const idsOf = ({ id, fields }: Field): string[] => [
    ...(id === undefined ? [] : [id]),
    ...fields.flatMap(idsOf),
  ];
  return readReference(readFile, 'en').blocks.flatMap((block) => {
    if (block.kind === 'fields') return block.fields.flatMap(idsOf);
    return block.kind === 'heading' ? [block.id] : [];
  });
}
