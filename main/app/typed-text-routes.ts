import type { TypedTextService } from '#main/typed-texts/index.ts';
import type { typedTextRoutes } from '#shared/ipc/typed-text-routes.ts';
import type { RouteHandlers } from './route-handlers.ts';

/** Binds the requests about texts that are typed and not saved. */
export function bindTypedTextRoutes(
  texts: Pick<TypedTextService, 'keep' | 'list' | 'forget'>,
): RouteHandlers<keyof typeof typedTextRoutes, object> {
  return {
    'typedTexts.keep': ({ name, ...kept }) => {
      texts.keep(name, kept);
      return {};
    },
    'typedTexts.list': ({ name }) => ({ texts: texts.list(name) }),
    'typedTexts.forget': ({ name, writer }) => {
      texts.forget(name, writer);
      return {};
    },
  };
}
