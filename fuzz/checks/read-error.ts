/** The fields of an error of the API or of the console that are checked here. */
export interface ReadError {
  code?: string;
  reason?: { code: string };
  params?: Record<string, string>;
  fields?: Record<string, { code: string }>;
}

/** The error that an answer has; empty when its body is none. */
export function readError(text: string): ReadError {
  try {
    return (JSON.parse(text) as ReadError | null) ?? {};
  } catch {
    return {};
  }
}
