export type * from '../../../src/api-types.ts';
