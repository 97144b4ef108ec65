/**
 * An object that names the member it does not have. The stand-in offers what the app uses; a use of
 * anything else of Electron must be seen, not answered with undefined.
 */
export function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key) {
      if (!(key in object) && typeof key === 'string' && key !== 'then' && key !== 'toJSON')
        throw new Error(`The stand-in for Electron has no ${name}.${key}`);
      const value: unknown = Reflect.get(object, key, object);
      // Bound to the object itself, whose private fields a proxy does not have.
      return typeof value === 'function' && !Object.hasOwn(object, key)
        ? (value as (...args: unknown[]) => unknown).bind(object)
        : value;
    },
    set: (object, key, value) => Reflect.set(object, key, value, object),
  });
}
