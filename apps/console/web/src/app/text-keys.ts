import type { texts as account } from '../rooms/account/texts.ts';
import type { texts as customers } from '../rooms/customers/texts.ts';
import type { texts as developers } from '../rooms/developers/texts.ts';
import type { texts as docs } from '../rooms/docs/texts.ts';
import type { texts as home } from '../rooms/home/texts.ts';
import type { texts as people } from '../rooms/people/texts.ts';
import type { texts as program } from '../rooms/program/texts.ts';
import type { Pair } from './pairs.ts';
import type { texts } from './texts.ts';

type TextsOf<Tree> = Tree extends Pair ? string : { [Key in keyof Tree]: TextsOf<Tree[Key]> };

/** The texts of all rooms in one language. `t` accepts no other keys. */
export type Texts = TextsOf<
  typeof texts &
    typeof account &
    typeof customers &
    typeof developers &
    typeof docs &
    typeof home &
    typeof people &
    typeof program
>;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'console';
    resources: { console: Texts };
  }
}
