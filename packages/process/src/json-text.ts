/** JSON that is text already, such as a stored document. It goes into an answer as it is, without being parsed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Serializes an object whose fields may be {@link JsonText}. Fields of objects within it may not. */
export function toJsonText(fields: object): JsonText {
  const members = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
    );
  return new JsonText(`{${members.join(',')}}`);
}
