/** Invisible characters: zero-width spaces and joiners, direction marks, soft hyphens, variation selectors, controls. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** A text without its invisible characters. */
export const withoutInvisible = (text: string): string => text.replace(invisible, '');
