import { pageHeaders } from '@rewardhook/process';

/**
 * Allows only the page's own files: no inline script, no eval, no inline style sheet. Style attributes are allowed: its
 * components use them for positions and colours.
 */
export const securityHeaders = (options: { https: boolean }) =>
  pageHeaders(
    {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      scriptSrcAttr: ["'none'"],
      styleSrc: ["'self'"],
      styleSrcAttr: ["'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
    },
    options,
  );
