/** What can be wrong for a merchant, with its texts for mails and pages. Nothing here loads Joi. */
export { problemKinds, type ProblemKind, type ProblemTexts } from './problem-kinds.ts';
export { english } from './english.ts';
export { korean } from './korean.ts';
