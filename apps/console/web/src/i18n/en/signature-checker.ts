/** The signature checker. */
export const signature = {
  signature: {
    lead: 'Paste what your server received, and see which of your keys signed it, or where it differs.',
    paste: 'What your server received',
    pasteLead: 'It is compared with your keys on the server and not kept.',
    headers: 'Headers',
    headersHint: 'All of them, as lines of name: value, or only the value of X-Service-Signature.',
    body: 'Raw body',
    bodyHint: 'Exactly as it came, before any JSON parser.',
    act: 'Check the signature',
    right: 'The signature is right',
    wrong: 'The signature is not right',
    known: 'The body is byte by byte your event {{id}} ({{type}}).',
    unknown: 'The body is none of your events byte by byte.',
    results: 'Result by header',
    header: 'Header',
    key: 'Key',
    fix: 'What to do',
    noTimestamp:
      'If your server got webhook-id, webhook-timestamp and webhook-signature, paste them too. If it did not, a proxy removes them: let webhook-* headers through, or an old request can be sent to you again.',
    verdicts: {
      ok: { name: 'Right', fix: '' },
      missing: { name: 'Not there', fix: 'Paste this header too, if your server got it.' },
      malformed: { name: 'Wrong form', fix: 'Copy the whole value of the header, unchanged.' },
      trailing_newline: {
        name: 'Line break or spaces',
        fix: 'Line breaks or spaces around the body differ. Use the raw bytes.',
      },
      re_serialized: {
        name: 'JSON written again',
        fix: 'The body was parsed and written again. Verify the raw bytes before parsing.',
      },
      expired_key: {
        name: 'Expired key',
        fix: 'It was made with a key that has expired. Use the present one.',
      },
      too_old: {
        name: 'Too old',
        fix: 'The signature is right, but its time is more than five minutes away. Check your clock.',
      },
      no_match: {
        name: 'No key fits',
        fix: 'Another key made it, or the bytes differ. Check the signing key and that the body is unchanged.',
      },
    },
    code: 'Verify in your code',
    codeLead:
      'Save as receiver.mjs, set REWARDHOOK_SIGNING_SECRET, run with Node 20 or newer. It listens on port 8080.',
  },
};
