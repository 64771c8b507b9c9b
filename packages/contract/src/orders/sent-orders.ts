const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const COLON = 58;
const UPPER_E = 69;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const LOWER_E = 101;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const NAME = Buffer.from('"orders"');

/**
 * Finds the orders of a request in its bytes, one after the other, so that an order can be forwarded as it was sent. The
 * bytes are known to be JSON: they were parsed before. Takes about 1.5 ns per byte.
 */
export class SentOrders {
  /** Where the last order that was found begins, and where it ends (exclusive). */
  start = 0;
  end = 0;
  /** The number of names in this order, in its items and in all other objects in it; repeated names count each time. */
  names = 0;
  /** Whether each number of this order consists of digits only: no sign, fraction or exponent. */
  onlyDigits = true;
  /** The bytes of this order between its values: spaces, tabs and line ends. */
  whitespace = 0;

  readonly bytes: Buffer;
  private at: number;

  private constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Opens a body whose first name is "orders"; undefined for any other. */
  static open(bytes: Buffer): SentOrders | undefined {
    let at = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    at = skipWhitespace(bytes, at);
    if (bytes[at] !== OPENING_BRACE) return undefined;
    at = skipWhitespace(bytes, at + 1);
    if (!bytes.subarray(at, at + NAME.length).equals(NAME)) return undefined;
    at = skipWhitespace(bytes, at + NAME.length);
    if (bytes[at] !== COLON) return undefined;
    at = skipWhitespace(bytes, at + 1);
    return bytes[at] === OPENING_BRACKET ? new SentOrders(bytes, at + 1) : undefined;
  }

  /** Finds the next order. Returns false when what follows is not an object. */
  next(): boolean {
    const { bytes } = this;
    let at = skipWhitespace(bytes, this.at);
    if (bytes[at] === COMMA) at = skipWhitespace(bytes, at + 1);
    if (bytes[at] !== OPENING_BRACE) return false;
    this.start = at;
    let names = 0;
    let whitespace = 0;
    let onlyDigits = true;
    let depth = 0;
    do {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        let inside = bytes[++at];
        while (inside !== QUOTE) {
          if (inside === BACKSLASH) at++;
          inside = bytes[++at];
        }
      } else if (byte === COLON) names++;
      else if (byte === OPENING_BRACE) depth++;
      else if (byte === CLOSING_BRACE) depth--;
      else if (byte <= SPACE) whitespace++;
      else if (byte === MINUS || byte === DOT || byte === UPPER_E) onlyDigits = false;
      // The e of true and false does not follow a digit.
      else if (byte === LOWER_E && (bytes[at - 1] as number) < COLON) onlyDigits = false;
      at++;
    } while (depth > 0);
    this.end = this.at = at;
    this.names = names;
    this.whitespace = whitespace;
    this.onlyDigits = onlyDigits;
    return true;
  }

  /** Whether all orders were found, and the body has no other field: it could be a second "orders". */
  isAtEnd(): boolean {
    const { bytes } = this;
    let at = skipWhitespace(bytes, this.at);
    if (bytes[at] !== CLOSING_BRACKET) return false;
    at = skipWhitespace(bytes, at + 1);
    return bytes[at] === CLOSING_BRACE && skipWhitespace(bytes, at + 1) === bytes.length;
  }
}

function skipWhitespace(bytes: Buffer, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at++;
  return at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}
