import fc from 'fast-check';

/** Addresses of clients, each as a proxy names it. */
export const addresses: fc.Arbitrary<string> = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((bytes) => `10.${bytes.join('.')}`);
