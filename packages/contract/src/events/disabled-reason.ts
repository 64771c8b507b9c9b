/** Why an endpoint was disabled, with the parameters that the text needs: the last answer or error of five days. */
export type DisabledReason =
  | { code: 'receiver_gone'; parameters: object }
  | { code: 'failing_with_status'; parameters: { status: number } }
  | { code: 'failing_with_error'; parameters: { error: string } };

/** Writes the reason in English, as in `reason` of an `endpoint.disabled` event. */
export function describeDisabledReason({ code, parameters }: DisabledReason): string {
  const failing = 'Every attempt of the last five days failed; the last one: ';
  switch (code) {
    case 'receiver_gone':
      return 'The receiver answered 410 Gone.';
    case 'failing_with_status':
      return `${failing}it answered ${parameters.status}.`;
    case 'failing_with_error':
      return `${failing}${parameters.error}.`;
  }
}
