import type { AuthMethod } from '#shared/manifest/model/integration.ts';

/** What a manifest declares of a login. */
export type Login = NonNullable<NonNullable<AuthMethod['connect']>['login']>;
/** Texts by their name: what was typed in, or what a login gave. */
export type Fields = Readonly<Record<string, string>>;
