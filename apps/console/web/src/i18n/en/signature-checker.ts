/** The signature checker. */
export const signatureChecker = {
  signatureChecker: {
    howToVerify: 'How to verify',
    lead: 'Paste a request that your server received to see which of your keys signed it, or why it does not verify.',
    paste: 'Received request',
    pasteLead: 'The request is compared with your keys on the server and is not stored.',
    headers: 'Headers',
    headersHint: 'All headers as lines of name: value, or only the value of X-Service-Signature.',
    body: 'Raw body',
    bodyHint: 'Exactly as received, before any JSON parser.',
    action: 'Check signature',
    valid: 'The signature is valid',
    invalid: 'The signature is not valid',
    validBadge: 'Valid',
    invalidBadge: 'Not valid',
    known: 'The body is your event {{id}} ({{type}}), byte for byte.',
    unknown: 'The body is not one of your events, byte for byte.',
    results: 'Results by header',
    header: 'Header',
    result: 'Result',
    key: 'Key',
    fix: 'What to do',
    noTimestamp:
      'If your server received webhook-id, webhook-timestamp and webhook-signature, paste them too. If it did not, a proxy removes them. Let webhook-* headers pass: without them, an old request can be sent to you again.',
    outcomes: {
      ok: { name: 'Valid', fix: '' },
      missing: { name: 'Missing', fix: 'If your server received this header, paste it too.' },
      malformed: { name: 'Invalid format', fix: 'Copy the complete value of the header, unchanged.' },
      trailing_newline: {
        name: 'Line break or spaces',
        fix: 'The body differs in line breaks or spaces at its beginning or end. Use the raw bytes.',
      },
      re_serialized: {
        name: 'JSON re-serialized',
        fix: 'The body was parsed and serialized again. Verify the raw bytes before you parse them.',
      },
      expired_key: {
        name: 'Expired key',
        fix: 'The signature was made with a key that has expired. Use the current key.',
      },
      too_old: {
        name: 'Timestamp out of range',
        fix: 'The signature is valid, but its timestamp is more than five minutes off. Check the clock of your server.',
      },
      no_match: {
        name: 'No matching key',
        fix: 'Another key made the signature, or the body differs. Check the signing key and that the body is unchanged.',
      },
    },
    code: 'Verify in your code',
    codeLead:
      'Save as receiver.mjs, set REWARDHOOK_SIGNING_SECRET and run it with Node 20 or newer. It listens on port 8080.',
  },
};
