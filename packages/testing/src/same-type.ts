type Extends<A, B> = [A] extends [B] ? true : false;

/** The type with all of its fields required, at every depth: assignability does not notice an optional field that is missing. */
type Complete<T> = T extends object ? { [Name in keyof T]-?: Complete<T[Name]> } : T;

type BothWays<A, B> = Extends<A, B> extends true ? Extends<B, A> : false;

/**
 * `true` when values of each type can be used as the other and both have the same fields, optional ones too; else `false`.
 * `true satisfies Same<A, B>` compiles only while they are the same.
 */
export type Same<A, B> = BothWays<A, B> extends true ? BothWays<Complete<A>, Complete<B>> : false;
