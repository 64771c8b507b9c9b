import { texts as data } from '../data/texts.ts';
import { texts as shell } from '../shell/texts.ts';
import { texts as ui } from '../ui/texts.ts';
import type { Pairs } from './pairs.ts';

/** The texts that are loaded at the start. Those of a room are loaded with its pages. */
export const texts = { ...ui, ...data, ...shell } satisfies Pairs;
