import { fieldError } from './field-errors.ts';
import type { FieldError, FieldWarnings } from './field-errors.ts';
import { similarName } from './similar-name.ts';

/** Maximum number of unknown names that the warnings of a request list. */
export const MAX_WARNINGS = 20;

/** Longer names are cut in warnings and errors. */
const MAX_NAME_LENGTH = 100;

/** Where errors of fields are added. */
export interface FieldErrorSink {
  add(path: string, error: FieldError): void;
  /** Whether no more errors are wanted. */
  readonly overflowed: boolean;
}

/**
 * Collects the unknown fields of a request, and other warnings. Unknown fields are ignored, with a warning for the first field of each name,
 * up to {@link MAX_WARNINGS} names; in strict mode each is an error. Of other warnings, the first field of each kind and name is listed.
 */
export class RequestWarnings {
  private readonly strict: FieldErrorSink | undefined;
  private readonly found = new Map<string, FieldError[]>();
  private readonly listed = new Map<object, Set<string>>();
  private readonly warned = new Set<string>();
  private unknownNames = 0;
  private hasMore = false;

  /** With `strictErrors`, unknown fields are errors, and are added to them. */
  constructor(strictErrors?: FieldErrorSink) {
    this.strict = strictErrors;
  }

  /** Adds the unknown fields of an object. `path` is that of the object, empty for the body itself. */
  addUnknown(value: object, known: object, path: string): void {
    for (const name in value) {
      if (this.hasMore || this.strict?.overflowed) return;
      if (!Object.hasOwn(known, name)) this.addName(name, known, path);
    }
  }

  /** Adds a value that cannot be read and counts as absent: an error in strict mode. */
  addUnreadable(path: string, error: FieldError): void {
    if (this.strict) this.strict.add(path, error);
    else this.add(path, error);
  }

  /** Adds what may be intended, so that it is no error in strict mode. */
  add(path: string, error: FieldError): void {
    const kindAndName = `${error.code} ${path.replaceAll(indices, '')}`;
    if (this.warned.has(kindAndName)) return;
    this.warned.add(kindAndName);
    this.list(path, error);
  }

  /** The warnings by path; undefined when there are none. */
  get byPath(): FieldWarnings | undefined {
    if (this.found.size === 0) return undefined;
    const found = [...this.found];
    if (this.hasMore) found.push(['body', [fieldError('more_unknown_fields', { limit: MAX_WARNINGS })]]);
    return Object.fromEntries(found);
  }

  private addName(name: string, known: object, path: string): void {
    if (!this.strict) {
      const names = this.listed.get(known) ?? new Set();
      if (names.has(name)) return;
      if (this.unknownNames === MAX_WARNINGS) {
        this.hasMore = true;
        return;
      }
      this.unknownNames++;
      this.listed.set(known, names.add(name));
    }
    const text = name.slice(0, MAX_NAME_LENGTH);
    const field = path === '' ? text : `${path}.${text}`;
    const similar = similarName(name, Object.keys(known));
    const error =
      similar === undefined
        ? fieldError('unknown_field')
        : fieldError('misspelled_field', { field: similar });
    if (this.strict) this.strict.add(field, error);
    else this.list(field, error);
  }

  private list(path: string, error: FieldError): void {
    this.found.set(path, [...(this.found.get(path) ?? []), error]);
  }
}

/** Those of orders and products in a path. */
const indices = /\[\d+\]/g;
